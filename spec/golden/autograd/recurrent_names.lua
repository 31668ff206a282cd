-- cpu only: has lengths of sequences, which are to be on the CPU
-- The grad_fn of the results of recurrent layers.
local torch = require "torch"
local nn = torch.nn

local function name(t) return (tostring(t.grad_fn):match "^<(%w+)") end

for _, class in ipairs {"RNN", "LSTM", "GRU"} do
  for i, options in ipairs {{}, {batch_first = true}, {num_layers = 2}, {bidirectional = true}, {num_layers = 2, bidirectional = true, batch_first = true}} do
    for _, dtype in ipairs {torch.float32, torch.float64} do
      local layer = nn[class](4, 5, options):to(dtype)
      local y, h = layer(torch.ones(3, 2, 4, {dtype = dtype}))
      print(class, i, name(y), class == "LSTM" and name(h[1]) or name(h))
      y, h = layer(torch.ones(3, 4, {dtype = dtype}))
      print(class, i, name(y), class == "LSTM" and name(h[2]) or name(h))
    end
  end
  local packed = nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 4), torch.tensor {3, 2})
  print(class, name(nn[class](4, 5)(packed).data))
end
