-- Hooks before and after saving and loading states, hooks of all modules, hooks that are called after an error.
local torch = require "torch"
local nn = torch.nn

torch.manual_seed(0)
local net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
local state = net:state_dict()
print(net:load_state_dict(state))

local linear = net[0]
local handles = {
  linear:register_state_dict_pre_hook(function(m, prefix, keep_vars) print("before", m, prefix, keep_vars) end),
  linear:register_state_dict_post_hook(function(_, dict, prefix, facts)
    dict[prefix .. "more"] = torch.ones(1)
    print("after", facts.version)
  end),
  linear:register_load_state_dict_pre_hook(function(m, dict, prefix, facts, strict)
    print("before loading", m, #dict, prefix, facts.version, strict)
  end),
  linear:register_load_state_dict_post_hook(function(_, keys) print("after loading", keys) end),
}
state = net:state_dict()
print(#state)
print(select(2, pcall(net.load_state_dict, net, state)).message)
print(net:load_state_dict(state, {strict = false}))
for _, handle in ipairs(handles) do handle:remove() end
print(select(2, pcall(net.load_state_dict, net, state)).message)
print(#net:state_dict())

-- hooks of all modules
local everywhere = torch.nn.modules.module
local first = everywhere.register_module_forward_pre_hook(function(m, args) print("before", m, args[1].shape) end)
local second = everywhere.register_module_forward_hook(function(m, args, out) print("after", m, args[1].shape, out.shape) end)
local third = everywhere.register_module_full_backward_hook(function(m, _, grad_output) print("backward", m, grad_output[1]) end)
nn.Sequential(nn.Linear(2, 3), nn.ReLU())(torch.ones(1, 2, {requires_grad = true})):sum():backward()
first:remove()
second:remove()
third:remove()
print(nn.ReLU()(torch.ones(1)))

-- a hook that is called after an error as well, and one that gets several outputs
linear:register_forward_hook(function(_, args, out) print("always", args[1].shape, out == nil) end, {always_call = true})
print((pcall(linear, torch.rand(3))))
linear(torch.ones(1))
local lstm = nn.LSTM(1, 2)
lstm:register_forward_hook(function(_, _, out) print(#out, out[1].shape, out[2][1].shape) end)
local out, hc = lstm(torch.ones(3, 1))
print(out.shape, hc[2].shape)
