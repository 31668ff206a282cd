-- plugin_check.lua: what scripts see of the operators of plugin.c. Run by plugin_spec.lua in tocha and in stock Lua.
local torch = require "torch"
local define = require "plugin"
local ops = torch.ops.plugin

local function fails(expected, f, ...)
  local ok, e = pcall(f, ...)
  assert(not ok and tostring(e):find(expected, 1, true), tostring(e))
  return e
end

-- calls: PyTorch's rule for arguments, and its words
local x = torch.tensor{{1, 2, 3}, dtype = torch.float64}:requires_grad_()
assert(torch.equal(ops.scale(x), x * 2) and torch.equal(ops.scale(x, 3), x * 3))
assert(torch.equal(ops.scale{x, by = 3, offset = 1}, x * 3 + 1))
fails("scale(): argument 'x' (position 1) must be Tensor, not int", ops.scale, 7)
fails("scale() missing 1 required positional arguments: \"x\"", ops.scale)
fails("scale() got an unexpected keyword argument 'bye'", ops.scale, x, {bye = 3})
fails("scale(): argument 'by' (position 2) must be float, not str", ops.scale, x, "3")
fails("\"scale\" not implemented for", ops.scale, torch.tensor{1})

-- gradients: an expression, and C
ops.scale(x, 3):sum():backward()
assert(torch.equal(x.grad, torch.full_like(x, 3)))
assert(torch.autograd.gradcheck(function(t) return ops.scale(t, 0.5, {offset = 2}) end, {x}))
assert(torch.autograd.gradgradcheck(function(t) return ops.scale(t * t, 0.5) end, {x}))
assert(torch.autograd.gradcheck(ops.squares, {x}, {check_undefined_grad = false}))
local squares, total = ops.squares(x)
assert(tostring(squares.grad_fn):find "SquaresBackward0" and total:item() == 6)
local only_total = torch.autograd.grad(total, x)
assert(torch.equal(only_total, torch.ones_like(x)))

-- meta, autocast, modules, devices without a kernel of their own
local meta = torch.empty(2, 5, {device = "meta"})
assert(ops.scale(meta).shape == meta.shape and ops.scale(meta).device.type == "meta")
fails("Meta tensors", function() define("plugin.unshaped", "(Tensor x) -> Tensor") return ops.unshaped(meta) end)
torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
  assert(ops.scale(torch.ones(2, 2):to(torch.bfloat16)).dtype == torch.float32)
end)
torch.no_grad(function() assert(not ops.scale(x).requires_grad) end)

-- help, and a second definition
define("plugin.defaults", "(Tensor x, int[2] size=[3, 4], string? mode='mean', bool flag=true, dim... dims) -> Tensor")
fails("already a kernel registered", define, "plugin.scale", "(Tensor x) -> Tensor")
fails("a namespace and a name", define, "scale", "(Tensor x) -> Tensor")
fails("cannot read", define, "plugin.bad", "(Tensr x) -> Tensor")
fails("returns tensors", define, "plugin.bad", "(Tensor x) -> int")
for _, gradient in ipairs {"x = grad * y", "x = grad *", "x = nothing(grad)", "x = sum(grad, 3, 4)", "x = (grad", "x = 3", "x = grad grad"} do
  fails("the gradient of plugin.bad", define, "plugin.bad", "(Tensor x) -> Tensor", gradient)
end
fails("the kernel of plugin.silent failed without an error", function()
  define("plugin.silent", "(Tensor x) -> Tensor")
  ops.silent(x)
end)
print "the plug-in works"
