-- halves_digits_spec.lua: a step of SGD in half precision rounds as PyTorch's operators do: of the elements that fill two vectors the
-- factor alone, of the last ones the product too.
local torch = require "torch"
local digits = require "digits"

local able = torch.backends.cpu.get_cpu_capability() == "AVX512" and torch.get_default_device().type == "cpu"

local function stepped(dtype, n, options)
  torch.manual_seed(1)
  local p = torch.randn(n):to(dtype):requires_grad_()
  p.grad = (torch.randn(n) * 0.1):to(dtype)
  local before = p:detach():clone()
  torch.optim.SGD({p}, options):step()
  return before, p.grad, p:detach()
end

describe("SGD in half precision", function()
  for _, dtype in ipairs {torch.bfloat16, torch.float16} do
    digits.it(able)("rounds as PyTorch in " .. tostring(dtype), function()
      local rate = torch.tensor(-0.1, {dtype = dtype}):float()
      local n, whole = 64 * 30 + 50, 64 * 30
      local before, grad, after = stepped(dtype, n, {lr = 0.1})
      local product = grad:float() * rate
      local once = (before:float() + product):to(dtype)
      local twice = (before:float() + product:to(dtype):float()):to(dtype)
      assert.is_true(after[":" .. whole]:equal(once[":" .. whole]))
      assert.is_true(after[whole .. ":"]:equal(twice[whole .. ":"]))
      assert.is_false(once[":" .. whole]:equal(twice[":" .. whole]))
    end)
  end
end)
