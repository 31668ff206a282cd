-- Gradients of the products.
local torch = require "torch"
local function leaf(t) return torch.tensor(t, {requires_grad = true}) end
local a, b = leaf{{1.0, 2.0}, {3.0, 4.0}}, leaf{{0.5, -1.0}, {2.0, 0.25}}
local v = leaf{1.0, -2.0}
local function show(y, ...)
  local weights = torch.arange(1., y:numel() + 1):reshape(y.shape)
  local grads = {torch.autograd.grad((y * weights):sum(), {...})}
  print(y.grad_fn:name())
  for _, g in ipairs(grads) do print(g) end
end
show(a:mm(b), a, b)
show(a:matmul(v), a, v)
show(v:matmul(a), v, a)
show(v:dot(v), v)
show(a:mv(v), a, v)
show(torch.addmm(v, a, b), v, a, b)
show(torch.bmm(a:unsqueeze(0), b:unsqueeze(0)), a, b)
show(a:matmul(b:unsqueeze(0)), a, b)
show(torch.stack{a, b}:matmul(v), a, b, v)
show(torch.nn.functional.linear(a, b, v), a, b, v)
show(torch.addmm(v, a, b, {beta = 0.5, alpha = 2.0}), v, a, b)
