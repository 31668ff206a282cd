-- Keywords of a sequence, sizes of a layer that are no integers, a text times a tensor, a mode that is no flag.
local torch = require "torch"
local function ask(f)
  local ok, x = pcall(f)
  print(ok and x or (tostring(x):match "[^\n]*"))
end
local x = torch.ones(2, 3)
for _, size in ipairs {x, "x", 1.5} do
  ask(function() return torch.nn.Linear(size, 3) end)
  ask(function() return torch.nn.Linear(3, size) end)
end
ask(function() return torch.nn.Linear(3, true) end)
ask(function() return torch.nn.Linear(torch.tensor(3), torch.tensor(2)) end)
ask(function() return x * "x" end)
ask(function() return "x" * x end)
ask(function() return torch.set_grad_enabled(true, true) end)
ask(function() return torch.set_grad_enabled("x") end)
ask(function() return torch.set_grad_enabled() end)
ask(function() return torch.nn.Sequential(torch.nn.ReLU(), {bogus = 1}) end)
ask(function() return torch.nn.Sequential(torch.nn.ReLU(), {}) end)
