-- Sequential is a list of modules that counts from 0.
local torch = require "torch"
local nn = torch.nn
local seq = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
print(#seq, seq[0], seq[-1])
print(seq[1])
seq[1] = nn.Sigmoid()
print(seq)
seq:append(nn.Tanh())
print(#seq, seq[3])
for i = 0, #seq - 1 do print(i, seq[i]) end
seq:add_module("named", nn.ReLU())
print(seq)
print(seq.named)
for name in seq:named_children() do print(name) end
