-- cpu only: has lengths of sequences, which are to be on the CPU
-- Padding and packing.
local torch = require "torch"
local rnn = torch.nn.utils.rnn
local a, b, c = torch.tensor{1.0, 2.0, 3.0}, torch.tensor{4.0, 5.0}, torch.tensor{6.0}
print(rnn.pad_sequence({a, b, c}))
print(rnn.pad_sequence({a, b, c}, {batch_first = true, padding_value = -1.0}))
print(rnn.pad_sequence({a, b, c}, {batch_first = true, padding_side = "left"}))
local data, batch_sizes = torch._pack_padded_sequence(torch.arange(12):reshape(2, 3, 2), torch.tensor{3, 1}, true)
print(data, batch_sizes)
print(torch._pad_packed_sequence(data, batch_sizes, true, 9, 5))
