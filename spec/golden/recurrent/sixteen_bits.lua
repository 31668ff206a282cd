-- cpu only: has the CPU's digits of 16 bits
-- Recurrent layers in bfloat16: an input that does not lie in order has its bias added apart.
local torch = require "torch"
torch.set_printoptions{precision = 5, sci_mode = false}
for _, kind in ipairs {"GRU", "RNN"} do
  for _, first in ipairs {true, false} do
    torch.manual_seed(3)
    local layer = torch.nn[kind](6, 5, {num_layers = 2, bidirectional = true, batch_first = first})
    local x = torch.randn(4, 7, 6)
    torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
      local out = layer(x)
      print(kind, first, out.dtype, out[{0, "-2:"}]:detach())
    end)
    layer:to(torch.bfloat16)
    print((layer(x:bfloat16()))[{0, "-2:"}]:detach())
  end
end
