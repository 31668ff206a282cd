-- Tensors that are changed after they were saved for backward.
local torch = require "torch"
local graph = torch.autograd.graph
local function try(f)
  local ok, e = pcall(f)
  print(ok and "fine" or (tostring(e):match "^[^\n]*"))
end
local x = torch.ones(2, 3, {requires_grad = true})
local y, out = x:clone(), nil
do
  local _ <close> = graph.allow_mutation_on_saved_tensors()
  out = (y ^ 2):sum()
  y:sin_()
  out:backward{retain_graph = true}
  print(x.grad, y)
  x.grad = nil
  local z = y * x
  local w = z:exp()
  w:mul_(2)
  local g = torch.autograd.grad(w:sum(), x, {create_graph = true})
  g:sum():backward()
  print(g, x.grad)
  try(function() local _ <close> = graph.allow_mutation_on_saved_tensors() end)
end
y = x * 3
out = (y * y):sum()
y:mul_(2)
try(function() out:backward() end)
