-- function.lua: torch.autograd["function"], whose name is a keyword of Lua.
local torch = ...
return torch._namespace({
  Function = torch.autograd.Function,
  once_differentiable = torch.autograd.once_differentiable,
}, "torch.autograd.function")
