-- Gradients where operands are equal, zero or not a number, and where an index names a place twice.
local torch = require "torch"
local nan = 0 / 0
local function leaf(values) return torch.tensor(values, {requires_grad = true}) end
local x, low, high = leaf{1., 2., 3., nan, 2., 2., 5, 1}, leaf{1., 3., 2., 1, nan, 1, 6, 1}, leaf{1., 3., 2., 2, 3, nan, 5, 1}
for _, bounds in ipairs{{low}, {nil, high}, {low, high}} do
  x.grad, low.grad, high.grad = nil, nil, nil
  torch.clamp{x, min = bounds[1], max = bounds[2]}:backward(torch.arange(1., 9.))
  print(x.grad, low.grad, high.grad)
end
for _, name in ipairs{"clamp_min", "clamp_max", "maximum", "minimum", "fmax", "fmin"} do
  x, low = leaf{1., 2., 3., nan}, leaf{2., 2., 2., nan}
  x[name](x, low):backward(-torch.arange(1., 5.))
  print(name, x.grad, low.grad)
end
x = leaf{1., 2., 3., nan}
x:clamp_min(2):backward(-torch.arange(1., 5.))
x:clamp_max(2):backward(-torch.arange(1., 5.))
print(x.grad)
x, low = leaf{0., 1., 0., -0., nan}, leaf{0., 0., 1., -0., 1}
torch.atan2(x, low):backward(torch.ones(5))
print(x.grad, low.grad)
x = leaf(2.)
torch.zeros(3):index_fill(0, torch.tensor{1, 1}, x):sum():backward()
print(x.grad)
x, low = leaf(2.), leaf{{1., 2., 3.}, {4., 5., 6.}}
torch.index_fill(low, 1, torch.tensor{1, 1, 2}, x):backward(torch.arange(6.):view(2, 3))
print(x.grad, low.grad)
for _, name in ipairs{"mul_", "fmod_", "div_"} do
  local y = leaf{1., 2.} * 2
  y[name](y, y)
  local _, message = pcall(y.backward, y, torch.ones(2))
  print(name, (tostring(message):match "^[^\n]*"))
end
