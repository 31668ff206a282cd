-- norms_spec.lua: normalization on a GPU reads 16-bit weights as they are: the same bits as with the same numbers in float32.
local torch = require "torch"
local section = require("gpus").with_one
local F = torch.nn.functional

-- Returns the result and all gradients, in the dtype of x.
local function all_of(f, x, weight, bias)
  x, weight = x:detach():clone():requires_grad_(), weight:detach():clone():requires_grad_()
  bias = bias and bias:detach():clone():requires_grad_()
  local y = f(x, weight, bias)
  y:float():square():sum():backward()
  return {y, x.grad, weight.grad:to(x.dtype), bias and bias.grad:to(x.dtype)}
end

local function compare(f, sizes, channels, dtype)
  local x = torch.randn{size = sizes}:to("cuda", dtype)
  local weight, bias = (torch.randn(channels) + 1):to("cuda", dtype), torch.randn(channels):to("cuda", dtype)
  for _, b in ipairs {bias, false} do
    local narrow, wide = all_of(f, x, weight, b or nil), all_of(f, x, weight:float(), b and b:float() or nil)
    for i, t in pairs(narrow) do assert.is_true(torch.equal(t, wide[i]), ("%s, %d"):format(dtype, i)) end
  end
end

section("16-bit weights of norms", function()
  for _, dtype in ipairs {torch.float16, torch.bfloat16} do
    it(("of layers, %s"):format(dtype), function()
      for _, n in ipairs {16, 17, 1000, 9000} do
        compare(function(x, w, b) return F.layer_norm(x, {n}, w, b) end, {6, n}, n, dtype)
      end
    end)

    it(("of groups and batches, %s"):format(dtype), function()
      for _, size in ipairs {1, 3, 4, 40} do
        compare(function(x, w, b) return F.group_norm(x, 4, w, b) end, {3, 8, size, size}, 8, dtype)
        compare(function(x, w, b) return F.batch_norm(x, nil, nil, w, b, true) end, {3, 8, size, size}, 8, dtype)
      end
      compare(function(x, w, b) return F.batch_norm(x, nil, nil, w, b, true) end, {40, 33}, 33, dtype)
    end)
  end
end)
