-- cpu only: has distances of columns with NaN, all of which are NaN by the product that a GPU takes
-- Gradients, and gradients of gradients, where an input is NaN, zero, equal to another, or exactly at a corner.
local torch = require "torch"
local F = torch.nn.functional
local nan, inf = 0 / 0, math.huge

local function text(t)
  local words = {}
  for i, v in ipairs(t:reshape(-1):tolist()) do words[i] = v ~= v and "nan" or ("%.5g"):format(v + 0.0) end
  return table.concat(words, " ")
end

local function first_line(message) return (tostring(message):match "^[^\n]*") end

local function show(name, f, ...)
  local inputs = {...}
  local y = f(table.unpack(inputs))
  local weights = torch.arange(1., y:numel() + 1, {dtype = y.dtype}):reshape(y.shape)
  for i = 1, #inputs do
    local g = torch.autograd.grad((y * weights):sum(), inputs[i], {create_graph = true, retain_graph = true})
    print(name, i, text(g))
    if g.requires_grad then
      local more = torch.arange(1., g:numel() + 1, {dtype = g.dtype}):reshape(g.shape)
      local ok, h = pcall(torch.autograd.grad, (g * more):sum(), inputs[1], {allow_unused = true, retain_graph = true})
      print("", "again", ok and h ~= nil and text(h))
    end
  end
end

local function leaf(values, dtype) return torch.tensor(values, {dtype = dtype or torch.float64, requires_grad = true}) end

for _, dtype in ipairs {torch.float32, torch.float64} do
  show("huber_loss", function(x) return F.huber_loss(x, torch.zeros(6, {dtype = dtype}), {reduction = "none"}) end, leaf({nan, 0, 1, -1, 2, -2}, dtype))
  local unknown = leaf({nan}, dtype)
  torch.logit(unknown, 0.125):sum():backward()
  print("logit", text(unknown.grad))
  show("logit", function(x) return torch.logit(x, 0.125) end, leaf({0.25, 0.125, 0.875, 0., 1.}, dtype))
end

for _, p in ipairs {1, inf} do
  show("cdist", function(x, y) return torch.cdist(x, y, p) end, leaf {{1, 2, nan}, {0, 1, 4}}, leaf {{1, 2, 0}, {3, nan, 1}})
  show("pdist", function(x) return torch.pdist(x, p) end, leaf {{1, 2, nan}, {0, 1, 4}, {5, 0, 0}})
end
for _, p in ipairs {0, 1, 2, inf} do
  show("cdist", function(x, y) return torch.cdist(x, y, p) end, leaf {{1, 2, 0}, {0, 1, 4}}, leaf {{1, 2, 0}, {0, 1, 4}, {4, 4, 0}})
end

for _, correction in ipairs {3, 4} do
  for _, values in ipairs {{1, 2, 4}, {1, 2, 3}} do
    show("var", function(x) return torch.var(x, {correction = correction}) end, leaf(values))
    show("std", function(x) return torch.std(x, {correction = correction}) end, leaf(values))
    show("var of a dim", function(x) return torch.var(x, {dim = 0, correction = correction}) end, leaf(values))
    show("var_mean", function(x) return (torch.var_mean(x, {dim = 0, correction = correction})) end, leaf(values))
  end
end

for _, values in ipairs {{2, 0, 3}, {0, 0, 3}, {0, 0, 0}, {0, 5, 0}} do
  show("prod", torch.prod, leaf(values))
  show("prod of a dim", function(x) return torch.prod(x, 0) end, leaf(values))
  show("cumprod", function(x) return torch.cumprod(x, 0) end, leaf(values))
end
show("prod of columns", function(x) return x:prod(0) end, leaf {{0, 2}, {3, 0}, {4, 0}})
show("cumprod of columns", function(x) return x:cumprod(0) end, leaf {{0, 2}, {3, 0}, {4, 0}})

local index = torch.tensor {0, 0, 0, 1}
for _, values in ipairs {{0, 2, 3, 4}, {0, 0, 3, 4}} do
  local x, source = leaf {2, 3}, leaf(values)
  local y = x:scatter_reduce(0, index, source, "prod")
  local g = torch.autograd.grad(y:sum(), source, {create_graph = true})
  print("scatter_reduce", text(g))
  print(first_line(select(2, pcall(function() return text(torch.autograd.grad(g:sum(), source)) end))))
  y = x:index_reduce(0, index, source, "prod")
  g = torch.autograd.grad(y:sum(), source, {create_graph = true})
  print("index_reduce", text(g))
  print(first_line(select(2, pcall(function() return text(torch.autograd.grad(g:sum(), source)) end))))
end

for _, name in ipairs {"elu", "celu", "selu", "hardswish", "softshrink", "relu6"} do show(name, F[name], leaf {0, -1, 1, 3, -3, 6}) end
show("softplus", function(x) return F.softplus(x, 1, 2) end, leaf {2, 1, 3})
show("prelu", F.prelu, leaf {0, -1, 1}, leaf {0.25})
