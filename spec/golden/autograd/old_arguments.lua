-- Arguments of backward and grad that PyTorch has deprecated still do what they did.
local torch = require "torch"
local function try(f)
  local ok, answer = pcall(f)
  print(ok, (tostring(answer):match "^[^\n]*"))
end
local function leaf() return torch.tensor({1., 2.}, {requires_grad = true}) end
try(function()
  local x = leaf()
  torch.autograd.backward(x * 2, {grad_variables = torch.tensor{1., 3.}})
  return x.grad
end)
try(function() torch.autograd.backward(leaf() * 2, {grad_tensors = torch.ones(2), grad_variables = torch.ones(2)}) end)
try(function()
  local x = leaf()
  return (torch.autograd.grad((x * 2):sum(), x, {only_inputs = false}))
end)
