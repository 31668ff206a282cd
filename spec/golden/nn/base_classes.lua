-- Base classes of modules and the names that lie beside them.
local torch = require "torch"
local nn = torch.nn
local function refused(f, ...)
  local ok, e = pcall(f, ...)
  print(ok, (tostring(e):match "[^\n]*"))
end
local function show(m)
  print(m)
  for name, t in m:named_parameters() do print(name, t.shape) end
end
show(nn.RNNBase("LSTM", 2, 3, 2))
show(nn.RNNBase("GRU", 2, 3, {bidirectional = true, bias = false}))
show(nn.RNNBase("RNN_RELU", 2, 3, {proj_size = 1, batch_first = true}))
torch.manual_seed(1)
print(nn.RNNBase("RNN_TANH", 2, 2).weight_hh_l0)
print(nn.RNNBase("LSTM", 2, 2).mode)
refused(nn.RNNBase, "X", 2, 3)
refused(nn.RNNBase, "RNN", 2, 3)
refused(nn.RNNBase, "LSTM", 2, 0)
refused(nn.RNNBase("LSTM", 2, 3), torch.ones(1, 1, 2))
show(nn.RNNCellBase(2, 3, true, 4))
show(nn.RNNCellBase(2, 3, false, 1))
torch.manual_seed(1)
print(nn.RNNCellBase(1, 2, true, 1).weight_hh)
refused(nn.RNNCellBase(1, 2, true, 1), torch.ones(1, 1))
print(nn.Container{first = nn.Linear(1, 2)})

local b = nn.Buffer(torch.ones(2))
print(b, nn.Buffer())
local m = nn.Module()
m.kept = b
m.lost = nn.Buffer(torch.zeros(1), {persistent = false})
m.plain = torch.ones(1)
print(m:state_dict())
for name, t in m:named_buffers() do print(name, t) end
m.lost = nn.Buffer(torch.ones(1))
m.kept = torch.zeros(2)
print(m:state_dict())
refused(function() m.plain = nn.Buffer(torch.ones(1)) end)
local l = nn.Linear(1, 1)
refused(function() l.weight = nn.Buffer(torch.ones(1, 1)) end)

local made = nn.utils.skip_init(nn.Linear, 2, 3)
print(made, made.weight.shape, made.weight.device, made.bias.requires_grad)
print(nn.utils.skip_init(nn.Conv2d, 1, 2, 3, {bias = false, dtype = torch.float64}).weight.dtype)
refused(nn.utils.skip_init, nn.ReLU)
