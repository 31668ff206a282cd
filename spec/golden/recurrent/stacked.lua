-- Layers on layers with dropout between them, projections.
local torch = require "torch"
torch.manual_seed(5)
local function ones(...) return torch.linspace(-0.5, 0.5, torch.zeros(...):numel()):reshape(...) end
local x = torch.randn(5, 2, 3)
local p = {ones(8, 3), ones(8, 2), ones(8), ones(8), ones(8, 2), ones(8, 2), ones(8), ones(8)}
local h, c = torch.zeros(2, 2, 2), torch.ones(2, 2, 2)
torch.manual_seed(7)
print(torch.lstm(x, {h, c}, p, true, 2, 0.5, true, false, false))
local q = {ones(12, 3), ones(12, 2), ones(12), ones(12), ones(2, 3)}
print(torch.lstm(x, {torch.zeros(1, 2, 2), torch.ones(1, 2, 3)}, q, true, 1, 0.0, false, false, false))
