-- Modules inside modules.
local torch = require "torch"
local nn = torch.nn
local Block = nn.Module:extend "Block"
function Block:init(n)
  self.layer = nn.Linear(n, n)
  self.activation = nn.ReLU()
end
function Block:forward(x) return x + self.activation(self.layer(x)) end
local Net = nn.Module:extend "Net"
function Net:init(n, depth)
  self.embed = nn.Sequential(nn.Flatten(), nn.Linear(4, n))
  local blocks = {}
  for i = 1, depth do blocks[i] = Block(n) end
  self.blocks = nn.ModuleList(blocks)
  self.head = nn.Linear(n, 2, {bias = false})
end
function Net:forward(x)
  x = self.embed(x)
  for i = 0, #self.blocks - 1 do x = self.blocks[i](x) end
  return self.head(x)
end
torch.manual_seed(0)
local net = Net(3, 2)
print(net)
print(net(torch.ones(2, 2, 2)))
for name in net:named_parameters() do print(name) end
for name, m in net:named_modules() do print("[" .. name .. "]", m:isinstance(Block)) end
for name, m in net:named_children() do print(name, m:isinstance(nn.Sequential)) end
local n = 0
for _ in net:modules() do n = n + 1 end
print(n)
n = 0
for p in net:parameters() do n = n + p:numel() end
print(n)
for m in net:children() do print(m:isinstance(nn.ModuleList)) end
