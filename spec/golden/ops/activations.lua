-- relu and its relatives.
local torch = require "torch"
local F, x = torch.nn.functional, torch.tensor{-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0}
print(torch.relu(x), F.relu(x), x:relu(), torch.relu(torch.tensor{-1, 2}))
print(torch.sigmoid(x), F.sigmoid(x), torch.tanh(x), F.tanh(x))
