-- A state has None where a scheduler has functions; the functions stay where a state is loaded.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local s = optim.lr_scheduler
local function sgd() return optim.SGD({nn.Parameter(torch.ones(1))}, {lr = 0.1, momentum = 0.9}) end
local function cyclic(o, own)
  return s.CyclicLR(o, {base_lr = 0.01, max_lr = 0.3, step_size_up = 3, scale_fn = own and function(x) return 1 / x end, scale_mode = "cycle"})
end
local makers = {
  CyclicLR = function(o) return cyclic(o) end,
  ["CyclicLR with a function"] = function(o) return cyclic(o, true) end,
  LambdaLR = function(o) return s.LambdaLR(o, function(e) return 0.9 ^ e end) end,
  MultiplicativeLR = function(o) return s.MultiplicativeLR(o, function() return 0.9 end) end,
}
for _, name in ipairs{"CyclicLR", "CyclicLR with a function", "LambdaLR", "MultiplicativeLR"} do
  local one = makers[name](sgd())
  for _ = 1, 8 do one:step() end
  local state = one:state_dict()
  local functions = {}
  for key in pairs(state) do
    if key == "_scale_fn_custom" or key == "lr_lambdas" then functions[#functions + 1] = key end
  end
  local o = sgd()
  local other = makers[name](o)
  other:load_state_dict(state)
  print(name, functions[1])
  for _ = 1, 5 do
    other:step()
    print(torch.format("%d %.17g", other.last_epoch, o.param_groups[1].lr))
  end
end
