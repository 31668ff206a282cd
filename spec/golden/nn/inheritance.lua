-- A class can extend another one.
local torch = require "torch"
local nn = torch.nn
local Base = nn.Module:extend "Base"
function Base:init(n)
  self.layer = nn.Linear(n, n)
  nn.init.ones_(self.layer.weight)
  nn.init.zeros_(self.layer.bias)
end
function Base:forward(x) return self.layer(x) end
function Base:describe() return "base of " .. self.layer.in_features end
local Child = Base:extend "Child"
function Child:init(n, factor)
  Base.init(self, n)
  self.factor = factor
end
function Child:forward(x) return Base.forward(self, x) * self.factor end
local Grandchild = Child:extend "Grandchild"
function Grandchild:describe() return "grandchild, " .. Child.describe(self) end
local net = Grandchild(2, 10)
print(net)
print(net(torch.ones(1, 2)))
print(net:describe(), Base(3):describe())
print(net:isinstance(Base), net:isinstance(Child), Base(1):isinstance(Child))
