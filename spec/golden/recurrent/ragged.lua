-- cpu only: has lengths of sequences, which are to be on the CPU
-- Sequences of different lengths, packed: results and gradients of every layer, in both directions, and gradients of gradients.
local torch = require "torch"
torch.manual_seed(3)

local function normal(...) return torch.randn({...}, {dtype = torch.float64}):requires_grad_() end

local function parameters(gates, size, inputs, proj)
  local out = proj or size
  local p = {normal(gates * size, inputs), normal(gates * size, out), normal(gates * size), normal(gates * size)}
  if proj then p[5] = normal(proj, size) end
  return p
end

local function both(a, b)
  local all = {}
  for _, t in ipairs(a) do all[#all + 1] = t end
  for _, t in ipairs(b) do all[#all + 1] = t end
  return all
end

local x = normal(4, 3, 2)
local function report(name, results, leaves)
  local total = 0
  for i, r in ipairs(results) do
    print(name, i, r)
    total = total + (r * r):sum() * i
  end
  local grads = {torch.autograd.grad({total}, leaves, {create_graph = true})}
  local second = 0
  for i, g in ipairs(grads) do
    print(name, "grad", i, g:abs():sum())
    second = second + (g * g):sum()
  end
  for i, g in ipairs({torch.autograd.grad({second}, leaves)}) do print(name, "second", i, g:abs():sum()) end
end

for _, kind in ipairs{{"rnn_tanh", 1}, {"rnn_relu", 1}, {"gru", 3}} do
  local p = both(parameters(kind[2], 2, 2), parameters(kind[2], 2, 2))
  local h = normal(2, 3, 2)
  local data, batch_sizes = torch._pack_padded_sequence(x, torch.tensor{4, 2, 1}, false)
  report(kind[1], {torch[kind[1]](data, batch_sizes, h, p, true, 1, 0.0, false, true)}, both(p, {x, h}))
end
do
  local p = both(parameters(4, 3, 2, 2), parameters(4, 3, 2, 2))
  local h, c = normal(2, 3, 2), normal(2, 3, 3)
  local data, batch_sizes = torch._pack_padded_sequence(x, torch.tensor{4, 2, 2}, false)
  report("lstm", {torch.lstm(data, batch_sizes, {h, c}, p, true, 1, 0.0, false, true)}, both(p, {x, h, c}))
end
