-- random_numbers.lua: prints random numbers of the GPU for a seed; random_numbers.py prints PyTorch's, and bench/on_card
-- compares them.
local torch = require "torch"

-- Prints some elements of t and the generator's offset.
local function show(name, t)
  local flat = t:reshape(-1):double():cpu()
  local words = {name}
  local n = flat.shape[0]
  for _, i in ipairs{0, 1, 2, 3, 255, 256, 1023, n // 2, n - 2, n - 1} do
    if i >= 0 and i < n then words[#words + 1] = ("%.9g"):format(flat[i]:item()) end
  end
  words[#words + 1] = "sum " .. ("%.6g"):format(flat:sum():item())
  print(table.concat(words, " "))
end

local function on(size) return {size = size, device = "cuda"} end

torch.cuda.manual_seed(42)
for _, n in ipairs{1, 5, 1024, 1000003} do
  show("rand " .. n, torch.rand(on{n}))
  show("randn " .. n, torch.randn(on{n}))
  show("randint " .. n, torch.randint(0, 1000, {n}, {device = "cuda"}))
  show("rand float64 " .. n, torch.rand{size = {n}, device = "cuda", dtype = torch.float64})
  show("rand float16 " .. n, torch.rand{size = {n}, device = "cuda", dtype = torch.float16})
  show("normal_ " .. n, torch.empty(on{n}):normal_(2, 3))
  show("uniform_ " .. n, torch.empty(on{n}):uniform_(-1, 1))
  show("exponential_ " .. n, torch.empty(on{n}):exponential_())
  show("bernoulli " .. n, torch.bernoulli(torch.full({n}, 0.3, {device = "cuda"})))
  show("bernoulli_ " .. n, torch.empty(on{n}):bernoulli_(0.7))
  show("dropout " .. n, torch.nn.functional.dropout(torch.ones(on{n}), 0.5))
  show("randperm " .. n, torch.randperm(n, {device = "cuda"}))
end
torch.cuda.manual_seed(7)
show("multinomial", torch.multinomial(torch.rand(on{8, 50}), 20))
show("multinomial with replacement", torch.multinomial(torch.rand(on{8, 50}), 20, true))
show("kaiming", torch.nn.init.kaiming_uniform_(torch.empty(on{300, 200})))
