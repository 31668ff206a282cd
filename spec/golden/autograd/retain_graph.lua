-- A graph is freed by backward unless it is retained.
local torch = require "torch"
local x = torch.tensor(2.0, {requires_grad = true})
local y = x ^ 3
y:backward{retain_graph = true}
print(x.grad)
y:backward{retain_graph = true}
print(x.grad)
y:backward()
print(x.grad)
local ok, err = pcall(y.backward, y)
print(ok, (tostring(err):match "[^\n]*"))
