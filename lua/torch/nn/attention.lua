-- nn/attention.lua: torch.nn.attention: which ways scaled_dot_product_attention may go.
local torch = ...
local backends = torch._part "nn.attention_backends"

local attention = {}

--- The ways: MATH (whole matrices), FLASH_ATTENTION, EFFICIENT_ATTENTION, CUDNN_ATTENTION (no device has it).
attention.SDPBackend = backends.SDPBackend

--- Lets scaled_dot_product_attention use a backend, or those of a list, alone, within a block; set_priority = true: in their
-- order. sdpa_kernel(backends[, fn]).
attention.sdpa_kernel = backends.sdpa_kernel

return torch._namespace(attention, "torch.nn.attention")
