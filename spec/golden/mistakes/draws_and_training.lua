-- cpu only: names kernels of the CPU
-- Draws, splits, losses and optimizers with arguments that they refuse.
local torch = require "torch"
local nn, optim, data, F = torch.nn, torch.optim, torch.utils.data, torch.nn.functional
local function try(f, ...) local ok, e = pcall(f, ...) print(ok, (tostring(e):match("^[^\n]*"))) end
try(torch.randn, -1) try(torch.randint, 5, 5, {2}) try(torch.randint, 10, {2, -1}) try(torch.randperm, -1) try(torch.bernoulli, torch.tensor{1.5}) try(torch.bernoulli, torch.tensor{1, 0})
try(torch.multinomial, torch.tensor{-1.0, 2.0}, 1) try(torch.multinomial, torch.zeros(3), 1) try(torch.multinomial, torch.ones(2), 3) try(torch.multinomial, torch.ones(2, 2, 2), 1) try(torch.multinomial, torch.tensor{1, 2}, 1)
try(torch.normal, 0.0, -1.0, {2}) try(function() return torch.empty(2):uniform_(1, 0) end) try(function() return torch.empty(2):normal_(0, -1) end) try(function() return torch.empty(2):bernoulli_(2) end) try(function() return torch.empty(2):exponential_(-1) end)
try(function() return torch.zeros(2, {dtype = torch.int64}):normal_() end) try(function() return torch.zeros(2, {dtype = torch.int64}):uniform_() end) try(torch.rand, 2, {dtype = torch.int64}) try(torch.randn, 2, {dtype = torch.int32}) try(function() return torch.rand_like(torch.tensor{1, 2}) end)
try(function() return torch.zeros(2):random_(5, 2) end) try(function() return torch.randn(2, {requires_grad = true}):normal_() end) try(F.dropout, torch.ones(2), 1.5) try(nn.Dropout, -0.1)
try(data.random_split, torch.arange(5), {2, 2}) try(data.random_split, torch.arange(5), {0.5, 0.6}) try(data.RandomSampler, torch.arange(5), {num_samples = 0}) try(data.WeightedRandomSampler, {1.0}, 0)
try(nn.init.xavier_uniform_, torch.zeros(3)) try(nn.init.kaiming_normal_, torch.zeros(3)) try(nn.init.calculate_gain, "nope") try(nn.init.eye_, torch.zeros(3)) try(function() return nn.init.kaiming_uniform_(torch.zeros(2, 2), {mode = "fan"}) end)
try(nn.CrossEntropyLoss(), torch.randn(3, 4), torch.tensor{0, 1}) try(nn.CrossEntropyLoss(), torch.randn(3, 4), torch.tensor{0, 1, 4}) try(nn.CrossEntropyLoss(), torch.randn(3, 4), torch.tensor{0.0, 1.0, 2.0})
try(nn.BCEWithLogitsLoss(), torch.randn(3, 1), torch.zeros(3)) try(nn.BCELoss(), torch.tensor{1.5}, torch.tensor{1.0}) try(nn.BCELoss(), torch.tensor{0.5}, torch.tensor{1.0, 0.0}) try(nn.NLLLoss(), torch.randn(2, 3), torch.tensor{0, 3})
try(nn.Linear(4, 2), torch.ones(3)) try(nn.Linear(4, 2), torch.ones(2, 3)) try(nn.Linear(4, 2):double(), torch.ones(2, 4)) try(nn.Linear(2, 2), 5)
try(function() local w = torch.ones(2, {requires_grad = true}) local v = w * 2 v:backward() end) try(function() torch.ones(2):sum():backward() end) try(function() local w = torch.ones(1, {requires_grad = true}) local l = (w * w):sum() l:backward() l:backward() end)
try(function() local w = torch.ones(2, {requires_grad = true}) w:add_(1) end) try(function() return torch.ones(2, {requires_grad = true}):numpy() end)
