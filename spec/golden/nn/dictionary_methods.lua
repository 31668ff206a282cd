-- cpu only: a ParameterDict prints the device of its parameters
-- Methods of ParameterDict and Size that Python's dicts and tuples have, and what no dictionary is made of.
local torch = require "torch"
local nn = torch.nn
local d = nn.ParameterDict({{"b", torch.ones(1)}, {"a", torch.zeros(2)}})
print(d:get("a"), d:get("x"), d:get("x", 5))
print(d:setdefault("c", torch.ones(3)).shape, #d)
print(d:setdefault("c", torch.ones(4)).shape, #d)
local c = d:copy()
d:pop("b")
print(#c, #d)
print(c)
print(d:fromkeys({"x", "y"}, torch.ones(2)))
local s = torch.ones(2, 3, 2).shape
print(s:index(2), s:index(2, 1), s:index(3), s:count(2), s:count(7), s:numel())
print((tostring(select(2, pcall(function() return s:index(9) end))):match "[^\n]*"))
print((tostring(select(2, pcall(function() nn.ModuleDict({nn.ReLU()}) end))):match "[^\n]*"))
print((tostring(select(2, pcall(function() nn.ModuleDict({{"a", nn.ReLU(), 1}}) end))):match "[^\n]*"))
print((tostring(select(2, pcall(function() nn.ModuleDict({5}) end))):match "[^\n]*"))
print((tostring(select(2, pcall(function() nn.ModuleDict(5) end))):match "[^\n]*"))
