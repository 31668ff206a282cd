-- cpu only: prints whether a parameter is on a GPU
-- A tree of every kind of container, its walks and its printing.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(0)
local Block = nn.Module:extend "Block"
function Block:init(i, o, p) self.fc = nn.Linear(i, o) self.act = nn.ReLU() self.drop = nn.Dropout(p or 0.1) self.norm = nil end
function Block:forward(x) return self.drop(self.act(self.fc(x))) end
local Net = nn.Module:extend "Net"
function Net:init(depth)
  self.stem = nn.Sequential(nn.Flatten(), nn.Linear(8, 6), nn.Tanh())
  local blocks = {}
  for i = 1, depth do blocks[i] = Block(6, 6, i / 10) end
  self.blocks = nn.ModuleList(blocks)
  self.heads = nn.ModuleDict() self.heads["a"] = nn.Linear(6, 2)
  self.extra = nn.ParameterList{nn.Parameter(torch.zeros(2)), nn.Parameter(torch.ones(3))}
  self.scale = nn.Parameter(torch.tensor(2.0))
  self:register_buffer("steps", torch.tensor(0))
  self:register_buffer("mask", torch.ones(6), {persistent = false})
  self:register_buffer("nothing", nil)
  self.tied = self.stem[1]
end
function Net:forward(x)
  x = self.stem(x)
  for i = 0, #self.blocks - 1 do x = self.blocks[i](x) * self.mask end
  self.steps = self.steps + 1
  return self.heads.a(x) * self.scale
end
local net = Net(2)
print(net)
for n, p in net:named_parameters() do print(n, p.shape, p.requires_grad, p:numel()) end
for n, m in net:named_modules() do print("[" .. n .. "]", m:isinstance(nn.Linear)) end
for n, m in net:named_children() do print(n, m) end
for n, b in net:named_buffers() do print(n, b) end
for k, v in pairs(net:state_dict()) do print(k, v.shape) end
local total, count = 0, 0
for p in net:parameters() do total = total + p:numel() count = count + 1 end
print(total, count, #net.blocks, #net.stem)
net:eval() print(net.training, net.blocks[0].drop.training, net.stem.training)
local y = net(torch.ones(2, 2, 4)) print(y, net.steps)
net:train() print(net.blocks[1].training) print(net(torch.ones(2, 8))) print(net.steps)
net.blocks[0]:eval() print(net.blocks[0].drop.training, net.blocks[1].drop.training)
net.blocks:append(Block(6, 6)) print(#net.blocks, net.blocks[-1]) net.blocks[0] = nn.Identity() print(net.blocks)
net.heads["b"] = nn.Linear(6, 3, {bias = false}) print(net.heads, #net.heads)
net.stem:append(nn.Sigmoid()) print(net.stem)
net:double() print(net.scale.dtype, net.mask.dtype, net.steps.dtype) net:float() print(net.scale)
net:requires_grad_(false) for n, p in net:named_parameters() do if p.requires_grad then print(n) end end print(net(torch.ones(1, 8)).requires_grad)
net.heads:requires_grad_(true)
for n, p in net:named_parameters() do if p.requires_grad then print(n) end end
print(net.no_such, net.stem[0], net.stem[-1])
for m in net:children() do print(m:isinstance(nn.Module)) end

