-- Dropout in training and evaluation.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
local drop = nn.Dropout(0.5)
print(drop(torch.ones(10)))
print(drop(torch.ones(3, 4)))
drop:eval()
print(drop(torch.ones(5)))
print(F.dropout(torch.ones(8), 0.25))
print(F.dropout(torch.ones(8), {p = 0.2, training = false}))
print(F.dropout(torch.ones(8), {p = 0.9}))
print(F.dropout(torch.ones(4), {p = 1.0}))
print(F.dropout(torch.ones(4), {p = 0.0}))
print(torch.rand(2))
