-- LBFGS with and without line search; its state; its errors.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local function rosenbrock(options, steps)
  local w = nn.Parameter(torch.tensor({-1.2, 1.0}, {dtype = torch.float64}))
  local optimizer = optim.LBFGS({w}, options)
  local calls = 0
  for step = 1, steps do
    local loss = optimizer:step(function()
      optimizer:zero_grad()
      local l = (1 - w[0]) ^ 2 + 100 * (w[1] - w[0] ^ 2) ^ 2
      l:backward()
      calls = calls + 1
      return l
    end)
    print(step, calls, torch.format("%.6e %.6f %.6f", loss, w[0], w[1]))
  end
  local state = optimizer.state[w]
  print(state.n_iter, state.func_evals, #state.old_dirs, #state.old_stps, #state.ro)
  print(optimizer)
end
rosenbrock({lr = 0.001, max_iter = 4}, 3)
rosenbrock({line_search_fn = "strong_wolfe"}, 2)
rosenbrock({line_search_fn = "strong_wolfe", max_iter = 5, history_size = 2, max_eval = 30}, 4)
local function fails(params, options)
  local ok, problem = pcall(optim.LBFGS, params, options)
  print(ok, (tostring(problem):match "^[^\n]*"))
end
local w = nn.Parameter(torch.ones(2))
fails({w}, {lr = -1})
fails({{params = {w}}, {params = {nn.Parameter(torch.ones(1))}}}, {lr = 1})
fails({}, {lr = 1})
local o = optim.LBFGS({w}, {line_search_fn = "other"})
local ok, problem = pcall(function()
  o:step(function()
    o:zero_grad()
    local l = (w ^ 2):sum()
    l:backward()
    return l
  end)
end)
print(ok, (tostring(problem):match "^[^\n]*"))
