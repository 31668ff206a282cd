-- extra_repr is printed inside the brackets.
local torch = require "torch"
local nn = torch.nn
local Scale = nn.Module:extend "Scale"
function Scale:init(factor)
  self.factor = factor
  self.weight = nn.Parameter(torch.ones(2))
end
function Scale:forward(x) return x * self.weight * self.factor end
function Scale:extra_repr() return "factor=" .. self.factor end
print(Scale(3))
print(nn.Sequential(Scale(2), nn.Linear(2, 2)))
local Both = nn.Module:extend "Both"
function Both:init() self.inner = Scale(1) end
function Both:extra_repr() return "two lines" end
print(Both())
print(Scale(4)(torch.ones(2)))
-- a class's own text takes the place of all of it, also within what holds the module
local Own = nn.Module:extend "Own"
function Own:init() self.inner = Scale(1) end
function Own:__tostring() return "Own of\nfactor " .. self.inner.factor end
print(Own())
print(nn.Sequential(Own(), nn.ModuleList{Own(), Own()}))
