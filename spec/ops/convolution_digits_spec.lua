-- convolution_digits_spec.lua: convolutions of float32 and their gradients have PyTorch's bits (../golden/digits/convolutions.py): oneDNN
-- does those that it does there, by kernels that add in its order; the others are products with columns.
local torch = require "torch"
local digits = require "digits"
local F = torch.nn.functional

local names = {"result", "gradient for the weight", "gradient for the bias", "gradient for the input"}

local function numbers(line)
  local list = {}
  for word in line:gmatch "%S+" do list[#list + 1] = math.tointeger(word) end
  return list
end

local function bits(t) return t:detach():contiguous():view(torch.int32):long():sum():item() end

local compared = digits.divides_gradients_alike() and {1, 2, 3, 4} or {1, 3}

local function differing(line, seed)
  local c = numbers(line)
  local space, transposed, n, inner, outer, groups, k, stride, padding, size = table.unpack(c, 1, 10)
  local function cube(first, second, side)
    local sizes = {first, second}
    for _ = 1, space do sizes[#sizes + 1] = side end
    return sizes
  end
  torch.manual_seed(seed)
  local x = torch.randn(cube(n, inner, size)):requires_grad_(seed % 5 > 0)
  local shape = transposed == 1 and cube(inner, outer // groups, k) or cube(outer, inner // groups, k)
  local w, b = torch.randn(shape):requires_grad_(), torch.randn(outer):requires_grad_()
  local call = F[(transposed == 1 and "conv_transpose%dd" or "conv%dd"):format(space)]
  local y = call(x, w, b, {stride = stride, padding = padding, groups = groups})
  y:backward(torch.randn(y.shape))
  local found = {}
  local all = {y, w.grad, b.grad, x.grad or x}
  for _, i in ipairs(compared) do
    if bits(all[i]) ~= c[10 + i] then found[#found + 1] = names[i] .. " of " .. line end
  end
  return found
end

local avx512 = torch.backends.cpu.get_cpu_capability() == "AVX512"
local able = avx512 and torch._blas() and torch.backends.mkldnn.is_available()

describe("a convolution of float32", function()
  digits.it(able)("has PyTorch's bits", function()
    local wrong, seed = {}, 0
    for line in io.lines "spec/golden/digits/convolutions.txt" do
      for _, what in ipairs(differing(line, seed)) do wrong[#wrong + 1] = what end
      seed = seed + 1
    end
    assert.are.equal("", table.concat(wrong, "\n"))
  end)
end)
