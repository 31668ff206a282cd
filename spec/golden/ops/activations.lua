-- relu and its relatives.
local torch = require "torch"
local F, x = torch.nn.functional, torch.tensor{-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0}
print(torch.relu(x), F.relu(x), x:relu(), torch.relu(torch.tensor{-1, 2}))
print(torch.sigmoid(x), F.sigmoid(x), torch.tanh(x), F.tanh(x))
print(F.leaky_relu(x), F.leaky_relu(x, 0.2))
print(F.elu(x), F.selu(x))
print(F.gelu(x / 4))
print(F.gelu(x, {approximate = "tanh"}))
print(F.silu(x))
print(F.softplus(x), F.softplus(x, {beta = 2, threshold = 1}))
print(F.hardtanh(x), F.relu6(x * 3), F.softsign(x), F.logsigmoid(x))
