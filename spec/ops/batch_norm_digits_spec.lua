-- batch_norm_digits_spec.lua: batch normalization of float32 has PyTorch's bits (../golden/digits/batch_norms.py): its sums are taken in
-- lanes of 32 bytes, or down the columns where there is nothing but images, and its products fused.
local torch = require "torch"
local digits = require "digits"

local names = {"result", "gradient for the input", "gradient for the weight", "gradient for the bias", "running mean", "running variance"}

local function bits(t) return t:detach():contiguous():view(torch.int32):long():sum():item() end

local function differing(line, seed)
  local c = {}
  for word in line:gmatch "%S+" do c[#c + 1] = math.tointeger(word) end
  local training, n, channels, rows, columns = table.unpack(c, 1, 5)
  torch.manual_seed(seed)
  local shape = rows > 0 and {n, channels, rows, columns} or {n, channels}
  local x = (torch.randn(shape) + 2):requires_grad_()
  local w, b = torch.rand(channels):requires_grad_(), torch.randn(channels):requires_grad_()
  local mean, var = torch.randn(channels), torch.rand(channels) + 0.5
  local y = torch.nn.functional.batch_norm(x, mean, var, w, b, training == 1)
  y:backward(torch.randn(shape))
  local found = {}
  for i, t in ipairs {y, x.grad, w.grad, b.grad, mean, var} do
    if bits(t) ~= c[5 + i] then found[#found + 1] = names[i] .. " of " .. line end
  end
  return found
end

local able = torch.backends.cpu.get_cpu_capability() ~= "DEFAULT" -- with FMA

describe("batch normalization of float32", function()
  digits.it(able)("has PyTorch's bits", function()
    local wrong, seed = {}, 0
    for line in io.lines "spec/golden/digits/batch_norms.txt" do
      for _, what in ipairs(differing(line, seed)) do wrong[#wrong + 1] = what end
      seed = seed + 1
    end
    assert.are.equal("", table.concat(wrong, "\n"))
  end)
end)
