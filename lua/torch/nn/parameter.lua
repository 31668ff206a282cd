-- nn/parameter.lua: torch.nn.parameter.
local torch = ...
local parameter = torch._functions "torch.nn.parameter"
parameter.Parameter, parameter.Buffer = torch.nn.Parameter, torch.nn.Buffer
return torch._namespace(parameter, "torch.nn.parameter")
