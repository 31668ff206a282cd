-- cpu only: calls functions for the CPU's elements
-- Tensor.apply_, map_, map2_: elements in order, types of results, and what they refuse.
local torch = require "torch"
local function try(f, ...)
  local ok, e = pcall(f, ...)
  if ok then print(e) else print((tostring(e):gsub("\n.*", ""))) end
end
local x = torch.tensor({1.0, 2.0, 3.0})
local one = function(v) return v end
print(x:clone():apply_(function(v) return v * 2 end))
print(torch.tensor({1, 2}):apply_(function(v) return v * 2.5 end))
print(torch.ones(2, 3):t():apply_(function(v) return v + 1 end))
print(torch.tensor(3.0):apply_(function(v) return v * 2 end))
print(torch.ones(0):apply_(one))
print(torch.ones(2, {dtype = torch.bfloat16}):apply_(function(v) return v * 2 end))
print(x:clone():map_(torch.tensor({1.0, 1.0, 1.0}), function(a, b) return a + b end))
print(x:clone():map_(torch.tensor(1.0), function(a, b) return a + b end))
print(x:clone():map2_(x, x, function(a, b, c) return a + b + c end))
try(function() return torch.tensor({1, 2}):apply_(function(_) return "a" end) end)
try(function() return x:clone():apply_(function(_) return nil end) end)
try(function() return x:clone():apply_(3) end)
try(function() return x:clone():apply_() end)
try(function() return x:clone():requires_grad_():apply_(one) end)
try(function() return x:clone():map_(torch.tensor({1.0, 2.0}), function(a, b) return a + b end) end)
try(function() return x:clone():map_(torch.tensor({1, 2, 3}), function(a, b) return a + b end) end)
try(function() return x:clone():map_(3, function(a, _) return a end) end)
try(function() return x:clone():map_(x) end)
try(function() return x:clone():map_(x, 4) end)
try(function() return x:clone():map_(x:clone():requires_grad_(), function(a, _) return a end) end)
try(function() return x:clone():map2_(x, torch.tensor({1, 2, 3}), function(a, _, _) return a end) end)
try(function() return x:clone():map2_(torch.tensor({1, 2, 3}), x, function(a, _, _) return a end) end)
try(function() return x:clone():requires_grad_():map2_(x, x, function(a, _, _) return a end) end)
