-- Padding and packing, and how a PackedSequence prints.
local torch = require "torch"
local rnn = torch.nn.utils.rnn
local a, b, c = torch.tensor{1.0, 2.0, 3.0}, torch.tensor{4.0, 5.0}, torch.tensor{6.0}
print(rnn.pad_sequence({a, b, c}))
print(rnn.pad_sequence({a, b, c}, {batch_first = true, padding_value = -1.0}))
print(rnn.pad_sequence({a, b, c}, {batch_first = true, padding_side = "left"}))
local packed = rnn.pack_sequence({a, b, c})
print(packed)
print(rnn.pack_sequence({b, a, c}, {enforce_sorted = false}))
print(rnn.pad_packed_sequence(packed, {batch_first = true}))
print(rnn.pad_packed_sequence(rnn.pack_sequence({b, a, c}, {enforce_sorted = false}), {batch_first = true, padding_value = 9.0}))
print(rnn.pad_packed_sequence(packed, {total_length = 5}))
print(rnn.pack_padded_sequence(torch.arange(12):reshape(2, 3, 2), {3, 1}, {batch_first = true}))
print(pcall(rnn.pack_sequence, {c, b}))
print(pcall(rnn.pad_packed_sequence, packed, {total_length = 2}))
print(pcall(rnn.pad_sequence, {}))
