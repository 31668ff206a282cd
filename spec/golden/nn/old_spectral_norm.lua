-- The older spectral_norm: its members, its numbers in training and evaluation, two calls before one backward, its removal.
local torch = require "torch"
local nn = torch.nn
local spectral_norm = nn.utils.spectral_norm
torch.manual_seed(0)
local layer = spectral_norm(nn.Linear(3, 2))
for name in pairs(layer:state_dict()) do print(name) end
local x = torch.ones(1, 3)
for _ = 1, 3 do print(layer(x)) end
layer:eval()
print(layer(x))
layer:train()
local loss = layer(x):sum() - layer(2 * x):sum()
loss:backward()
print(layer.weight_orig.grad)
local up = spectral_norm(nn.ConvTranspose2d(2, 3, 2), {n_power_iterations = 2})
print(up.weight_u.shape, up.weight_v.shape, up(torch.ones(1, 2, 2, 2)):sum())
print(select(2, pcall(spectral_norm, layer)).message)
nn.utils.remove_spectral_norm(layer)
for name in pairs(layer:state_dict()) do print(name) end
print(layer(x))
print(select(2, pcall(nn.utils.remove_spectral_norm, layer)).message)
