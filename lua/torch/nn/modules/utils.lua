-- nn/modules/utils.lua: where PyTorch has it, too.
local torch = ...
return torch._namespace({
  consume_prefix_in_state_dict_if_present = torch.nn.utils.consume_prefix_in_state_dict_if_present,
}, "torch.nn.modules.utils")
