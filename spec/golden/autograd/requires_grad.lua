-- requires_grad of tensors with a graph, of views made under no_grad, of bytes seen as another dtype.
local torch = require "torch"
local function refused(f)
  local _, message = pcall(f)
  print((tostring(message):match "^[^\n]*"))
end
local x = torch.ones(2, {requires_grad = true})
local y = x * 1
refused(function() y.requires_grad = true end)
refused(function() y.requires_grad = false end)
print(y:requires_grad_(true).requires_grad)
local v = x:view(torch.float16)
print(v.requires_grad, v.is_leaf, x:view(torch.float32).requires_grad)
torch.no_grad(function() v = x["0:1"] end)
print(v.requires_grad, v.is_leaf)
local w = (v * 2):sum()
w:backward()
print(v.grad, x.grad)
v.requires_grad = true
w = (v * 2):sum()
w:backward()
print(v.grad, x.grad)
