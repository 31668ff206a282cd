-- t_, transpose_, squeeze_, unsqueeze_ on tensors with a graph.
local torch = require "torch"
local function name(t) return t.grad_fn:name() end
local function ones(...) return torch.ones({...}, {requires_grad = true}) end
local function refused(f)
  local _, message = pcall(f)
  print((tostring(message):match "^[^\n]*"))
end
local x = ones(1, 3)
local y = x * torch.tensor{1., 2., 3.}
y:transpose_(0, 1)
print(name(y), y.shape, y._version)
local z = (y * torch.tensor{{5.}, {6.}, {7.}}):sum()
z:backward()
print(x.grad)
x = ones(1, 3)
y = (x * 2):t_()
print(name(y), y)
y:mul_(2)
print(name(y), y._version)
y:sum():backward()
print(x.grad)
y = ones(1, 3, 1) * 2
print(name(y:squeeze_(-1)), y.shape)
print(name(y:squeeze_()), y.shape)
print(name(y:unsqueeze_(1)), y.shape)
print(name((ones(1, 3, 1) * 2):squeeze_({0, 2})))
print(name((ones(2, 3) * 2):swapaxes_(0, 1)), name((ones(2, 3) * 2):swapdims_(0, 1)))
refused(function() ones(2, 3):t_() end)
refused(function() ones(2, 3)["0:1"]:squeeze_() end)
refused(function() torch.ones(1, 1, 1):t_() end)
refused(function() local z = ones(2, 3):exp(); z:t_(); z:sum():backward() end)

-- A view: its base keeps its history.
x = ones(2, 3)
y = x * 1
local v = y["0:2"]
v:t_()
print(name(y), name(v), y._version, v._version)
z = (v * torch.arange(6.0):view(3, 2)):sum()
z:backward()
print(x.grad)
x = ones(2, 3)
y = x:exp()
v = y:view(6)
y:t_()
print(name(v))
