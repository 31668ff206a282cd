-- Every draw from a generator of one's own, the global one untouched.
local torch = require "torch"
local nn, data = torch.nn, torch.utils.data
torch.manual_seed(0)
local g = torch.Generator()
for seed = 1, 12 do
  g:manual_seed(seed * 1000)
  print(torch.randn(seed, {generator = g})) print(torch.rand(2, seed, {generator = g})) print(torch.randint(0, seed, {4}, {generator = g})) print(torch.randperm(seed, {generator = g}))
  print(torch.bernoulli(torch.full({seed}, 0.5), {generator = g})) print(torch.multinomial(torch.ones(seed), seed, {generator = g})) print(torch.empty(seed + 8):normal_(0, 1, {generator = g}))
  print(torch.empty(seed):uniform_(0, 2, {generator = g})) print(torch.zeros(3):random_(5, {generator = g})) print(torch.zeros(3):random_(2, 5, {generator = g}))
  print(torch.normal(0.0, 1.0, {seed}, {generator = g})) print(nn.init.normal_(torch.empty(2, 2), {generator = g})) print(nn.init.xavier_uniform_(torch.empty(2, 2), {generator = g}))
  print(nn.init.kaiming_normal_(torch.empty(2, 2), {generator = g}), nn.init.trunc_normal_(torch.empty(2, 2), {generator = g}))
  local l = data.DataLoader(torch.arange(seed + 3), {batch_size = 4, shuffle = true, generator = g}) for _ = 1, 2 do for x in l do print(x) end end
  local a, b = data.random_split(torch.arange(10), {4, 6}, {generator = g}) print(table.concat(a.indices, " "), table.concat(b.indices, " "))
  local s = data.RandomSampler(torch.arange(6), {generator = g}) for i in s do io.write(i, " ") end print()
  local s = data.WeightedRandomSampler({1.0, 2.0, 3.0}, 5, {replacement = true, generator = g}) for i in s do io.write(i, " ") end print()
  local s = data.SubsetRandomSampler({4, 5, 6, 7}, {generator = g}) for i in s do io.write(i, " ") end print()
  print(torch.rand(1, {generator = g}))
end
print(torch.rand(1), g:initial_seed(), g:get_state():sum(), torch.get_rng_state():sum())
g:manual_seed(-5) print(g:initial_seed(), torch.rand(1, {generator = g}))
local h = g:clone_state() print(torch.rand(1, {generator = g}), torch.rand(1, {generator = h}))
