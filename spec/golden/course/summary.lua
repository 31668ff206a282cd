-- torch.summary, which is torchinfo's.
local torch = require "torch"
local nn = torch.nn
local Block = nn.Module:extend "Block"
function Block:init(n, m)
  self.first = nn.Linear(n, m)
  self.act = nn.ReLU()
  self.second = nn.Linear(m, n, {bias = false})
end
function Block:forward(x) return x + self.second(self.act(self.first(x))) end
local Net = nn.Module:extend "Net"
function Net:init()
  self.embed = nn.Linear(12, 64)
  self.blocks = nn.ModuleList{Block(64, 256), Block(64, 32)}
  self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(64, 10))
  self.scale = nn.Parameter(torch.ones(3))
end
function Net:forward(x)
  x = self.embed(x)
  for _, block in ipairs{self.blocks[0], self.blocks[1], self.blocks[0]} do x = block(x) end
  return self.head(x) * self.scale:sum()
end
local function show(model, options)
  options.verbose = 0
  local s = torch.summary(model, options)
  print(s)
  print(s.total_params, s.trainable_params, s.total_mult_adds)
end
local net = Net()
show(net, {input_size = {2, 12}})
show(net, {input_size = {8, 12}, depth = 1})
show(net, {input_size = {8, 12}, depth = 2, col_names = {"input_size", "output_size", "num_params", "trainable"}, col_width = 20,
  row_settings = {"var_names"}})
show(net, {input_data = torch.ones(4, 12), col_names = {"num_params", "params_percent", "mult_adds"}, row_settings = {"ascii_only", "depth", "var_names"}})
for p in net.head:parameters() do p.requires_grad = false end
net.blocks[0].first.weight.requires_grad = false
show(net, {input_size = {300, 12}, col_names = {"output_size", "num_params", "trainable"}})
show(nn.Sequential(nn.Flatten(), nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 10)), {input_size = {32, 1, 28, 28}})
show(nn.Linear(3, 4), {input_size = {1, 3}})
