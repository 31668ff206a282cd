-- nn/utils/rnn.lua: torch.nn.utils.rnn: sequences of different lengths, padded to one tensor or packed without padding.
local torch = ...
local support = torch._part "support"
local define, fail = torch._define, support.fail

local rnn = {}

-- --- PackedSequence ------------------------------------------------------------------------------------

local methods = {}
local PackedSequence = {__name = "PackedSequence"}

local fields = {"data", "batch_sizes", "sorted_indices", "unsorted_indices"}

function PackedSequence:__tostring()
  local parts = {}
  for i, name in ipairs(fields) do parts[i] = name .. "=" .. support.python(self[name]) end
  return "PackedSequence(" .. table.concat(parts, ", ") .. ")"
end
function PackedSequence:__len() return #fields end

--- Returns the inverse of a permutation; nil for nil.
function rnn.invert_permutation(permutation)
  if permutation == nil then return nil end
  local output = torch.empty_like(permutation)
  output:scatter_(0, permutation, torch.arange(0, permutation:numel(), {device = permutation.device}))
  return output
end

local function new(data, batch_sizes, sorted_indices, unsorted_indices)
  if unsorted_indices == nil then unsorted_indices = rnn.invert_permutation(sorted_indices) end
  if batch_sizes == nil then data, batch_sizes = data[1], data[2] end
  if batch_sizes.device.type ~= "cpu" then
    fail("ValueError", "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
      .. "They should be instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
      .. "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence")
  end
  return setmetatable({data = data, batch_sizes = batch_sizes, sorted_indices = sorted_indices, unsorted_indices = unsorted_indices},
    PackedSequence)
end
rnn.PackedSequence = define("PackedSequence(data, batch_sizes?, sorted_indices?, unsorted_indices?)", new)

--- Converts the data as tensor:to() does, and moves the indices to its device.
function methods:to(...)
  local data = self.data:to(...)
  if rawequal(data, self.data) then return self end
  local function follow(t) return t and t:to(data.device) end
  return new(data, self.batch_sizes, follow(self.sorted_indices), follow(self.unsorted_indices))
end
function methods:cuda() return self:to "cuda" end
function methods:cpu() return self:to "cpu" end
for name, dtype in pairs{double = "float64", float = "float32", half = "float16", long = "int64", int = "int32", short = "int16",
    char = "int8", byte = "uint8"} do
  methods[name] = function(self) return self:to(torch[dtype]) end
end
function methods:is_pinned() return self.data:is_pinned() end
function methods:pin_memory()
  local function pin(t) return t and t:pin_memory() end
  return new(pin(self.data), self.batch_sizes, pin(self.sorted_indices), pin(self.unsorted_indices))
end
PackedSequence.__index = function(self, name)
  if name == "is_cuda" then return rawget(self, "data").is_cuda end
  return methods[name]
end

-- --- packing -------------------------------------------------------------------------------------------

--- Packs the sequences of a padded tensor without their padding; lengths: a tensor or a list.
rnn.pack_padded_sequence = define("pack_padded_sequence(input, lengths, batch_first=false, enforce_sorted=true)",
  function(input, lengths, batch_first, enforce_sorted)
    lengths = torch.is_tensor(lengths) and lengths:to(torch.int64) or torch.tensor(lengths, {dtype = torch.int64, device = "cpu"})
    local sorted_indices
    if not enforce_sorted then
      lengths, sorted_indices = torch.sort(lengths, {descending = true})
      sorted_indices = sorted_indices:to(input.device)
      input = input:index_select(batch_first and 0 or 1, sorted_indices)
    end
    local data, batch_sizes = torch._pack_padded_sequence(input, lengths, batch_first)
    return new(data, batch_sizes, sorted_indices)
  end)

--- Returns a packed sequence as a padded tensor, and the lengths.
rnn.pad_packed_sequence = define("pad_packed_sequence(sequence, batch_first=false, padding_value=0.0, total_length?)",
  function(sequence, batch_first, padding_value, total_length)
    local longest = sequence.batch_sizes:size(0)
    if total_length ~= nil and total_length < longest then
      fail("ValueError", "Expected total_length to be at least the length of the longest sequence in input, but got total_length=%d "
        .. "and max sequence length being %d", total_length, longest)
    end
    local padded, lengths = torch._pad_packed_sequence(sequence.data, sequence.batch_sizes, batch_first, padding_value,
      total_length or longest)
    local unsorted = sequence.unsorted_indices
    if unsorted == nil then return padded, lengths end
    return padded:index_select(batch_first and 0 or 1, unsorted), lengths:index_select(0, unsorted:cpu())
  end)

-- --- padding -------------------------------------------------------------------------------------------

local function padded(sequence, missing, value, side)
  if missing == 0 then return sequence end
  local pad = {}
  for i = 1, 2 * sequence.ndim do pad[i] = 0 end
  pad[side == "right" and #pad or #pad - 1] = missing
  return torch.constant_pad_nd(sequence, pad, value)
end

--- Returns sequences of different lengths side by side: (longest, count, ...), or (count, longest, ...) with batch_first.
rnn.pad_sequence = define("pad_sequence(sequences, batch_first=false, padding_value=0.0, padding_side='right')",
  function(sequences, batch_first, padding_value, padding_side)
    if torch.is_tensor(sequences) then sequences = sequences:unbind(0) end
    if type(sequences) ~= "table" then
      fail("RuntimeError", "pad_sequence: Expected iterable for input sequences, but got arg of type: %s", support.python_class(sequences))
    end
    if #sequences == 0 then fail("RuntimeError", "received an empty list of sequences") end
    if padding_side ~= "left" and padding_side ~= "right" then
      fail("RuntimeError", "Expected padding_side to be one of left or right, but got %s.", padding_side)
    end
    local longest, rows = 0, {}
    for _, s in ipairs(sequences) do longest = math.max(longest, s:size(0)) end
    for i, s in ipairs(sequences) do rows[i] = padded(s, longest - s:size(0), padding_value, padding_side) end
    return torch.stack(rows, batch_first and 0 or 1)
  end)

--- Returns the sequences of a padded tensor, as a list.
rnn.unpad_sequence = define("unpad_sequence(padded_sequences, lengths, batch_first=false)",
  function(padded_sequences, lengths, batch_first)
    if not batch_first then padded_sequences = padded_sequences:transpose(0, 1) end
    local out = {}
    for i, length in ipairs(lengths:tolist()) do out[i] = padded_sequences[i - 1]:narrow(0, 0, length) end
    return out
  end)

--- Packs a list of sequences.
rnn.pack_sequence = define("pack_sequence(sequences, enforce_sorted=true)", function(sequences, enforce_sorted)
  local lengths = {}
  for i, s in ipairs(sequences) do lengths[i] = s:size(0) end
  return rnn.pack_padded_sequence(rnn.pad_sequence(sequences), lengths, {enforce_sorted = enforce_sorted})
end)

--- Returns the sequences of a packed one, as a list.
rnn.unpack_sequence = define("unpack_sequence(packed_sequences)", function(packed_sequences)
  local sequences, lengths = rnn.pad_packed_sequence(packed_sequences, {batch_first = true})
  return rnn.unpad_sequence(sequences, lengths, true)
end)

return torch._namespace(rnn, "torch.nn.utils.rnn")
