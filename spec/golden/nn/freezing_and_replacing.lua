-- Small networks: freezing, replacing the head, tying, counting, hooks, repeated printing.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
torch.manual_seed(21)
local Encoder = nn.Module:extend "Encoder"
function Encoder:init(sizes)
  local layers = {}
  for i = 1, #sizes - 1 do layers[#layers + 1] = nn.Linear(sizes[i], sizes[i + 1]) layers[#layers + 1] = nn.ReLU() end
  self.net = nn.Sequential(table.unpack(layers))
end
function Encoder:forward(x) return self.net(x) end
local Auto = nn.Module:extend "Auto"
function Auto:init() self.encoder = Encoder{6, 4, 2} self.decoder = Encoder({2, 4, 6}) self.out = nn.Linear(6, 6) self.count = 3 self.name = "auto" end
function Auto:forward(x, noise) local z = self.encoder(x) if noise then z = z + noise end return self.out(self.decoder(z)), z end
local m = Auto() print(m) print(m.count, m.name)
local y, z = m(torch.ones(2, 6)) print(y, z)
print((m(torch.ones(2, 6), 0.5)))
local function count(m, trainable) local n = 0 for p in m:parameters() do if not trainable or p.requires_grad then n = n + p:numel() end end return n end
print(count(m), count(m, true)) for p in m.encoder:parameters() do p.requires_grad = false end print(count(m), count(m, true))
local before = m.encoder.net[0].weight:clone()
local opt = torch.optim.SGD(m:parameters(), {lr = 0.1})
for _ = 1, 3 do opt:zero_grad() local loss = F.mse_loss((m(torch.ones(2, 6))), torch.zeros(2, 6)) loss:backward() opt:step() print(torch.format("%.5f", loss)) end
print(torch.equal(before, m.encoder.net[0].weight), m.encoder.net[0].weight.grad, m.out.bias.grad)
m.out = nn.Sequential(nn.Dropout(0.2), nn.Linear(6, 2, {bias = false})) print(m) print(count(m))
local names = {} for n in m:named_parameters() do names[#names + 1] = n end print(table.concat(names, ", "))
m.decoder = m.encoder print(#names, count(m)) local k = 0 for n in pairs(m:state_dict()) do k = k + 1 end print(k)
for n in m:named_modules() do io.write(n, ";") end print()
for n, p in m.encoder:named_parameters{prefix = "enc"} do print(n, p.shape) end
for n, p in m:named_parameters{recurse = false} do print(n) end
m.aux = nn.ModuleList{nn.Linear(1, 1), nn.Linear(1, 1)} m.aux:extend{nn.Tanh()} m.aux:insert(0, nn.ReLU()) print(m.aux)
m.d = nn.ModuleDict() m.d["x"] = nn.Linear(1, 2) print(m.d, #m.d)
m:train(false) print(m.training, m.out[0].training) m:train(true) print(m.out.training)
local s = nn.Sequential() s:add_module("one", nn.Linear(1, 1)) s:add_module("two", nn.ReLU()) print(s, s.one, s[1])
s:register_module("three", nn.Tanh()) print(#s, s(torch.ones(1)).shape)

s:append(nn.Identity()):append(nn.Sigmoid()) print(s)
print(nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2), {requires_grad = false}))
local w = nn.Parameter(torch.ones(2)) print(w * 2, w.data, w:detach(), w.is_leaf)
