-- NAdam, RAdam, Rprop and ASGD with their options, to the last bit; their states and printed form.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local function bits(t)
  local parts = {}
  for i = 0, #t - 1 do parts[#parts + 1] = torch.format("%.9g", t[i]) end
  return table.concat(parts, " ")
end
local function try(name, options, dtype)
  local w = nn.Parameter(torch.tensor({1.5, -0.75, 2.0, 0.1, -3.0, 0.0, 0.3, -0.2, 0.7}, {dtype = dtype or torch.float32}))
  local target = torch.tensor({0.5, 0.25, -1.0, 0.1, 0.0, -0.5, 2.0, 0.1, -0.3}, {dtype = dtype or torch.float32})
  local optimizer = optim[name]({w}, options)
  for step = 1, 12 do
    optimizer:zero_grad()
    local loss = ((w - target) ^ 4 - 0.3 * w):sum()
    loss:backward()
    optimizer:step()
    if step % 4 == 0 then print(name, step, bits(w:detach():to(torch.float64))) end
  end
  local state = optimizer.state[w]
  for _, key in ipairs{"step", "mu_product", "eta", "mu"} do
    local ok, value = pcall(function() return state[key] end)
    if ok and value ~= nil then print(name, key, torch.format("%.9g", value)) end
  end
  if not options.etas then print(optimizer) end
end
for _, options in ipairs{{lr = 0.05}, {lr = 0.01, weight_decay = 0.1}, {lr = 0.01, weight_decay = 0.1, decoupled_weight_decay = true},
    {betas = {0.8, 0.95}, eps = 1e-3, maximize = true}} do
  try("NAdam", options)
  try("RAdam", options)
end
try("NAdam", {momentum_decay = 0.02})
try("NAdam", {lr = 0.01}, torch.float64)
try("RAdam", {lr = 0.01}, torch.float64)
for _, options in ipairs{{lr = 0.05}, {etas = {0.3, 1.5}, step_sizes = {1e-3, 0.2}}, {lr = 0.1, maximize = true}} do try("Rprop", options) end
try("Rprop", {lr = 0.01}, torch.float64)
for _, options in ipairs{{lr = 0.01}, {lr = 0.01, lambd = 0.01, alpha = 0.5, t0 = 3, weight_decay = 0.1}, {maximize = true, t0 = 0}} do try("ASGD", options) end
try("ASGD", {lr = 0.01, t0 = 2}, torch.float64)
local function fails(name, options)
  local ok, problem = pcall(optim[name], {nn.Parameter(torch.ones(1))}, options)
  print(ok, (tostring(problem):match "^[^\n]*"))
end
fails("NAdam", {lr = -1})
fails("NAdam", {momentum_decay = -0.5})
fails("RAdam", {betas = {1.0, 0.5}})
fails("Rprop", {etas = {1.5, 1.2}})
fails("ASGD", {lambd = -1})
fails("ASGD", {weight_decay = -1})
