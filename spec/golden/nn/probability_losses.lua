-- Losses of probabilities.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local p, y = torch.tensor{0.9, 0.2, 0.6}, torch.tensor{1.0, 0.0, 0.0}
print(nn.BCELoss()(p, y), nn.BCELoss{reduction = "none"}(p, y))
print(nn.BCEWithLogitsLoss()(p, y), nn.BCEWithLogitsLoss{pos_weight = torch.tensor(2.0)}(p, y))
print(nn.NLLLoss()(torch.log_softmax(torch.tensor{{1.0, 2.0}, {3.0, 1.0}}, 1), torch.tensor{1, 0}))
print(nn.SmoothL1Loss()(p * 3, y), nn.HuberLoss{delta = 0.5}(p * 3, y))
