-- cpu only: asks what autocast does on the CPU
-- torch.amp.custom_fwd and custom_bwd: functions with a derivative of one's own under autocast.
local torch = require "torch"
torch.manual_seed(0)
local a, b = torch.randn(3, 3, {requires_grad = true}), torch.randn(3, 3, {requires_grad = true})
local function define(options)
  local Product = torch.autograd.Function:extend "Product"
  Product.forward = torch.amp.custom_fwd(function(ctx, x, y)
    ctx:save_for_backward(x, y)
    local z = x:mm(y)
    print("forward", x.dtype, z.dtype, torch.is_autocast_enabled "cpu")
    return z
  end, options)
  Product.backward = torch.amp.custom_bwd(function(ctx, grad)
    local x, y = ctx.saved_tensors[1], ctx.saved_tensors[2]
    print("backward", grad.dtype, torch.is_autocast_enabled "cpu", torch.get_autocast_dtype "cpu")
    return grad:mm(y:t()), x:t():mm(grad)
  end, {device_type = "cpu"})
  return Product
end
for _, options in ipairs {{device_type = "cpu"}, {device_type = "cpu", cast_inputs = torch.float32}} do
  local Product = define(options)
  for _, dtype in ipairs {torch.bfloat16, torch.float16} do
    local c = torch.autocast({device_type = "cpu", dtype = dtype}, function() return Product.apply(a, b:to(torch.float16):to(torch.float32)) end)
    print(c.dtype)
    a.grad, b.grad = nil, nil
    c:float():sum():backward()
    print(a.grad.dtype, a.grad[0])
  end
  print(Product.apply(a, b).dtype)
end
print(torch.is_autocast_enabled "cpu")
