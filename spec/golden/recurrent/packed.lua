-- cpu only: has lengths of sequences, which are to be on the CPU
-- Recurrent layers on packed sequences: lengths in any order, directions, layers, projections.
local torch = require "torch"
local rnn = torch.nn.utils.rnn
torch.set_printoptions{precision = 4, sci_mode = false}
local lengths = torch.tensor{4, 1, 3}
for _, options in ipairs {{}, {bidirectional = true}, {num_layers = 2, bidirectional = true}, {proj_size = 2}} do
  for _, kind in ipairs {"LSTM", "GRU", "RNN"} do
    if kind == "LSTM" or not options.proj_size then
      torch.manual_seed(6)
      local arguments = {3, 4, batch_first = true}
      for name, value in pairs(options) do arguments[name] = value end
      local layer = torch.nn[kind](arguments)
      local x = torch.randn(3, 4, 3):requires_grad_()
      local out, state = layer(rnn.pack_padded_sequence(x, lengths, {batch_first = true, enforce_sorted = false}))
      local padded, sizes = rnn.pad_packed_sequence(out, {batch_first = true, padding_value = -1})
      print(kind, padded.shape, sizes, padded[{":", 0}]:detach())
      print(kind == "LSTM" and state[1]:detach() or state:detach())
      padded:sin():sum():backward()
      print(x.grad[1], x.grad[{":", 0}])
    end
  end
end
