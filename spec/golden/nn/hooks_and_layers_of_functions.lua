-- A linear layer with the batch norm after it as one, prefixes off a state dict, a hook before every backward pass, and DataParallel
-- without a GPU.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(5)
local linear, norm = nn.Linear(3, 2), nn.BatchNorm1d(2)
norm.running_mean:copy_(torch.tensor{0.5, -1.0})
norm.running_var:copy_(torch.tensor{4.0, 0.25})
nn.init.constant_(linear.weight, 0.25)
nn.init.zeros_(linear.bias)
local fused = nn.utils.fuse_linear_bn_eval(linear:eval(), norm:eval())
print(fused, fused.weight, fused.bias)
print(fused(torch.ones(1, 3)):detach())

local whole = nn.ModuleDict{{"module", linear}, {"other", norm}}
local state = whole:state_dict()
nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
for name, value in pairs(state) do print(name, value) end

local seen = 0
local handle = nn.modules.module.register_module_full_backward_pre_hook(function() seen = seen + 1 end)
linear(torch.ones(1, 3)):sum():backward()
print(seen)
handle:remove()
linear(torch.ones(1, 3)):sum():backward()
print(seen)

local parallel = nn.DataParallel(linear)
print(parallel)
print(parallel(torch.ones(1, 3)):detach())
print(parallel:isinstance(nn.parallel.DataParallel))
