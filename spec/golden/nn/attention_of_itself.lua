-- cpu only: asks what autocast does on the CPU
-- digits: attention of a sequence to itself is one projection, also with the batch first: its gradient is of 16 bits under autocast.
local torch = require "torch"
local nn = torch.nn
for _, first in ipairs {false, true} do
  torch.manual_seed(1)
  local layer = nn.MultiheadAttention(12, 3, {batch_first = first})
  local x = torch.randn(2, 6, 12):requires_grad_()
  torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
    local out = layer(x, x, x, {need_weights = false})
    out:sin():sum():backward()
    print(out.dtype, x.grad.dtype, x.grad:eq(x.grad:bfloat16():float()):all())
    print(x.grad[0])
    print(layer.in_proj_weight.grad[0])
  end)
end
