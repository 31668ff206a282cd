-- cpu only: prints get_device()
-- Small questions about a tensor: its device, layout and kinds.
local torch = require "torch"
local x = torch.arange(6):reshape(2, 3)
print(x:get_device(), x.is_cuda, x.is_sparse, x.layout, x.is_meta, x.is_quantized)
