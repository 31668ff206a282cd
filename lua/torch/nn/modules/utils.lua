-- nn/modules/utils.lua: torch.nn.modules.utils, as in PyTorch.
local torch = ...
return torch._namespace({
  consume_prefix_in_state_dict_if_present = torch.nn.utils.consume_prefix_in_state_dict_if_present,
}, "torch.nn.modules.utils")
