-- Computed parameters: names in the state dict, printed form, gradients, assigning, removing.
local torch = require "torch"
local nn = torch.nn
local P, parametrize = nn.utils.parametrizations, nn.utils.parametrize
torch.manual_seed(1)
local function sum(t) return torch.format("%.4f", t:sum()) end
local x = torch.ones(2, 4)
local layer = P.weight_norm(nn.Linear(4, 3))
print(layer)
for name, t in pairs(layer:state_dict()) do print(name, t.shape, sum(t)) end
print(layer.weight.shape, sum(layer.weight), layer(x))
layer(x):sum():backward()
for name, p in layer:named_parameters() do print(name, sum(p.grad)) end
print(parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "weight"), parametrize.is_parametrized(layer, "bias"))
torch.no_grad(function() layer.weight = torch.ones(3, 4) end)
print(layer.parametrizations.weight.original0, layer.weight:detach())
parametrize.remove_parametrizations(layer, "weight")
print(layer, layer.weight)
local spectral = P.spectral_norm(nn.Linear(4, 3))
print(spectral)
for name, t in pairs(spectral:state_dict()) do print(name, t.shape) end
print(spectral(x), spectral:eval()(x))
print(torch.format("%.3f", torch.linalg.matrix_norm(spectral.weight, 2)))
local square = P.orthogonal(nn.Linear(3, 3))
print(square)
print(torch.allclose(square.weight:matmul(square.weight.T), torch.eye(3), {atol = 1e-5}))
print(square(torch.ones(1, 3)))
local tall = P.orthogonal(nn.Linear(2, 4))
print(torch.allclose(tall.weight.T:matmul(tall.weight), torch.eye(2), {atol = 1e-5}))
print(torch.allclose(P.orthogonal(nn.Linear(4, 4), {orthogonal_map = "cayley"}).weight:det():abs(), torch.tensor(1.0)))
print(P.weight_norm(nn.Conv1d(2, 3, 2))(torch.ones(1, 2, 3)))
local w = torch.empty(3, 5)
print(nn.init.dirac_(torch.empty(4, 2, 3), 2))
print(nn.init.orthogonal_(w), nn.init.sparse_(torch.empty(4, 2), 0.5))
print(nn.init.orthogonal_(torch.empty(4, 2), 2.0))
