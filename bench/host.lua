-- host.lua: small work in Lua, beside libtorch.cpp, host.c and host.cpp (bench/run libtorch). Its words are those of host.h.
local torch = require "torch"
local measuring = dofile "bench/measuring.lua"
local nn, optim, F = torch.nn, torch.optim, torch.nn.functional
local now = measuring.processor_time
local BATCHES, BATCH_NS = 7, 2e7

local function net() return nn.Sequential(nn.Linear(1, 10), nn.ReLU(), nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 1)) end

local function add(a)
  local b = torch.ones(3, 3)
  return function(n) for _ = 1, n do local _ = a + b end end
end

local cases = {
  {"a + b, 3x3", function() return add(torch.ones(3, 3)) end},
  {"a + b, 3x3, recorded", function() return add(torch.ones(3, 3, {requires_grad = true})) end},
  {"training step, 1-10-10-1, 40 rows", function()
    local model, x, y = net(), torch.rand(40, 1), torch.rand(40, 1)
    local optimizer = optim.SGD(model:parameters(), {lr = 0.01})
    return function(n)
      for _ = 1, n do
        local loss = F.mse_loss(model(x), y)
        optimizer:zero_grad()
        loss:backward()
        optimizer:step()
      end
    end
  end},
  {"forward, 1-10-10-1, one row", function()
    local model, row = net(), torch.rand(1, 1)
    return function(n) torch.no_grad(function() for _ = 1, n do local _ = model(row) end end) end
  end},
}

torch.set_num_threads(1)
if arg[1] ~= "speed" then
  print(torch.ones(3, 3))
  if arg[1] == "memory" then print(("memory\t%d"):format(measuring.status_bytes "VmHWM")) end
  return
end
for _, case in ipairs(cases) do
  local run, passes, best = case[2](), 16, math.huge
  local function once()
    local start = now()
    run(passes)
    return now() - start
  end
  while once() < BATCH_NS do passes = 2 * passes end
  for _ = 1, BATCHES do best = math.min(best, once()) end
  print(("%s\t%.1f"):format(case[1], best / passes))
end
