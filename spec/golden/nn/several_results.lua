-- forward may take and return several values.
local torch = require "torch"
local nn = torch.nn
local Net = nn.Module:extend "Net"
function Net:forward(a, b, options)
  if options and options.swap then a, b = b, a end
  return a + b, a - b
end
local net = Net()
local sum, difference = net(torch.tensor(5), torch.tensor(3))
print(sum, difference)
sum, difference = net(torch.tensor(5), torch.tensor(3), {swap = true})
print(sum, difference)
local Table = nn.Module:extend "Table"
function Table:forward(t) return t.x * t.factor end
print(Table(){x = torch.tensor{1, 2}, factor = 3})
