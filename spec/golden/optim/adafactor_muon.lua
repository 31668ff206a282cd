-- Adafactor and Muon: steps, states, printed form, errors.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local function try(name, options, with_vector)
  local w = nn.Parameter(torch.tensor{{1.5, -0.75, 2.0}, {0.1, -3.0, 0.25}})
  local b = nn.Parameter(torch.tensor{0.5, -0.5, 0.125})
  local optimizer = optim[name](with_vector and {w, b} or {w}, options)
  for step = 1, 6 do
    optimizer:zero_grad()
    local loss = ((w * 0.5 + b) ^ 2):sum()
    loss:backward()
    optimizer:step()
    if step % 3 == 0 then print(name, step, w.data, b.data) end
  end
  if not options.eps then print(optimizer) end
  return optimizer, w, b
end
local a, w, b = try("Adafactor", {lr = 0.1}, true)
print(a.state[w].row_var, a.state[w].col_var, a.state[b].variance, a.state[w].step)
try("Adafactor", {lr = 0.05, weight_decay = 0.1, d = 1.5, beta2_decay = -0.5, eps = {1e-6, 0.01}, maximize = true}, true)
local m, v = try("Muon", {lr = 0.1})
print(m.state[v].momentum_buffer)
try("Muon", {lr = 0.1, nesterov = false, momentum = 0.8, weight_decay = 0.0, adjust_lr_fn = "match_rms_adamw"})
try("Muon", {lr = 0.1, ns_steps = 3, adjust_lr_fn = "spectral_unclamped"})
local function fails(name, options, p)
  local ok, problem = pcall(optim[name], {nn.Parameter(p or torch.ones(1, 1))}, options)
  print(ok, (tostring(problem):match "^[^\n]*"))
end
fails("Adafactor", {lr = -0.5})
fails("Adafactor", {d = 0.5})
fails("Adafactor", {beta2_decay = 0.5})
fails("Adafactor", {weight_decay = -0.5})
fails("Muon", {lr = -0.5})
fails("Muon", {momentum = -0.5})
fails("Muon", {adjust_lr_fn = "other"})
fails("Muon", {lr = 0.5}, torch.ones(3))
fails("SparseAdam", {lr = 0.0})
fails("SparseAdam", {betas = {0.5, 1.5}})
local s = nn.Parameter(torch.ones(2))
local sparse = optim.SparseAdam({s}, {lr = 0.1})
print(sparse)
s:sum():backward()
print(pcall(sparse.step, sparse) == false)
local ok, problem = pcall(function() sparse:step() end)
print(ok, (tostring(problem):match "^[^\n]*"))
