-- Layers on layers with dropout between them, projections, and what is refused.
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
print(pcall(torch.lstm, x, {h}, p, true, 2, 0.0, false, false, false))
print(pcall(torch.lstm, x, {h, c}, p, true, 3, 0.0, false, false, false))
print(pcall(torch.gru, x, torch.zeros(2, 2, 2), p, true, 1, 0.0, false, false, false))
print(pcall(torch.gru, x, torch.zeros(1, 2, 2), {p[1], p[2], p[3]}, true, 1, 0.0, false, false, false))
print(pcall(torch.lstm_cell, x[0], {h[0], c[0]}, ones(8, 4), ones(8, 2)))
print(pcall(torch.gru_cell, x[0], torch.zeros(3, 2), ones(6, 3), ones(6, 2)))
print(pcall(torch.rnn_tanh_cell, x[0], h[0], ones(3, 3), ones(2, 2)))
