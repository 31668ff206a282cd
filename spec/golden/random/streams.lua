-- What one draw leaves for the next: pairs of draws from one stream.
local torch = require "torch"
local nn, F, data = torch.nn, torch.nn.functional, torch.utils.data
local draws = {
  function() return torch.randn(5) end, function() return torch.randn(1) end, function() return torch.randn(16)[":2"] end, function() return torch.randn(3, {dtype = torch.float64}) end,
  function() return torch.rand(3) end, function() return torch.rand(2, {dtype = torch.float64}) end, function() return torch.randint(0, 9, {3}) end, function() return torch.randint(0, 2^33 | 0, {2}) end,
  function() return torch.randperm(6) end, function() return torch.bernoulli(torch.full({5}, 0.5)) end, function() return torch.empty(3):bernoulli_(0.5) end,
  function() return torch.multinomial(torch.ones(4), 2) end, function() return torch.multinomial(torch.ones(4), 1) end, function() return torch.multinomial(torch.ones(4), 5, true) end,
  function() return F.dropout(torch.ones(4), 0.5) end, function() return nn.Linear(2, 1).weight.data end, function() return torch.empty(3):exponential_() end,
  function() return torch.normal(0, 1, {3}) end, function() return torch.normal(torch.zeros(3), 2) end, function() return nn.init.xavier_normal_(torch.empty(2, 2)) end,
  function() return nn.init.trunc_normal_(torch.empty(2)) end, function() return torch.tensor(data.random_split(data.TensorDataset(torch.arange(5)), {2, 3}).indices) end,
  function() local s for x in data.DataLoader(torch.arange(5), {batch_size = 3, shuffle = true}) do s = s and torch.cat{s, x} or x end return s end,
  function() return torch.zeros(3):random_(7) end, function() return torch.randn(2, {dtype = torch.float16}) end, function() return torch.rand(2, {dtype = torch.bfloat16}) end,
  function() return nn.init.kaiming_uniform_(torch.empty(2, 3)) end, function() return torch.randn_like(torch.zeros(20))["18:"] end, function() return torch.rand_like(torch.zeros(2, 2)) end,
  function() return torch.randn(17, {dtype = torch.float64})["15:"] end, function() return torch.zeros(2, 9):normal_()[":, 8"] end, function() return torch.zeros(9, 2):t():normal_()[":, 8"] end,
}
for seed = 0, 29 do
  torch.manual_seed(seed)
  local at = seed
  for i = 1, 12 do at = (at * 7 + 3 * i + seed) % #draws print(seed, at, draws[at + 1]()) end
end
