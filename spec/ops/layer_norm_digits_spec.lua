-- layer_norm_digits_spec.lua: layer normalization of float32 has PyTorch's bits in its result and the gradients for weight and bias
-- (../golden/digits/layer_norms.py). Layers of one element, and groups of one channel, are their bias.
local torch = require "torch"
local digits = require "digits"

local names = {"result", "gradient for the weight", "gradient for the bias"}
local able = torch.backends.cpu.get_cpu_capability() == "AVX512"

describe("layer normalization of float32", function()
  digits.it(able)("has PyTorch's bits", function()
    local wrong, seed = {}, 0
    for line in io.lines "spec/golden/digits/layer_norms.txt" do
      local c = {}
      for word in line:gmatch "%S+" do c[#c + 1] = math.tointeger(word) end
      torch.manual_seed(seed)
      local x, w, b = torch.randn(c[1], c[2]), torch.rand(c[2]):requires_grad_(), torch.randn(c[2]):requires_grad_()
      local y = torch.nn.functional.layer_norm(x, {c[2]}, w, b)
      y:backward(torch.randn(c[1], c[2]))
      for i, t in ipairs {y, w.grad, b.grad} do
        local bits = t:detach():view(torch.int32):long():sum():item()
        if bits ~= c[2 + i] then wrong[#wrong + 1] = names[i] .. " of " .. line end
      end
      seed = seed + 1
    end
    assert.are.equal(5, seed)
    assert.are.equal("", table.concat(wrong, "\n"))
  end)
end)

describe("normalization of single elements", function()
  -- The rounding of x / sqrt(eps) for x up to 4, over all rows.
  local allowed = {float32 = 1e-2, float64 = 1e-11, float16 = 0, bfloat16 = 0}

  local function check(normalize, dtype, channels)
    local x = torch.randn(200, channels):clamp(-4, 4):to(torch[dtype]):requires_grad_()
    local weight = torch.randn(channels):to(torch[dtype]):requires_grad_()
    local bias = torch.randn(channels):to(torch[dtype]):requires_grad_()
    local y = normalize(x, weight, bias)
    assert((y - bias):abs():max():item() <= allowed[dtype], dtype)
    y:sum():backward()
    for _, slope in ipairs{x.grad, weight.grad, bias.grad - 200} do
      assert(slope:abs():max():item() <= allowed[dtype], dtype)
    end
  end

  for dtype in pairs(allowed) do
    it("has the gradients of a bias alone, " .. dtype, function()
      check(function(x, w, b) return torch.nn.functional.layer_norm(x, {1}, w, b) end, dtype, 1)
      check(function(x, w, b) return torch.nn.functional.group_norm(x, 3, w, b) end, dtype, 3)
    end)
  end
end)
