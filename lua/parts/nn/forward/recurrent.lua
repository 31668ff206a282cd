-- forward/recurrent.lua: the forward of RNN, LSTM and GRU: omitted states, inputs without a batch, packed sequences.
local torch = ...
local support = torch._part "support"
local fail = support.fail

-- --- weights -----------------------------------------------------------------------------------------------

local names_by_shape = {}

-- Returns the names of the parameters in the order of the operators' arguments.
local function names_of(self)
  local bias, projects = self.bias, (self.proj_size or 0) > 0
  local key = ("%d %s %s %s"):format(self.num_layers, self.bidirectional, bias, projects)
  local names = names_by_shape[key]
  if names then return names end
  names = {}
  local function add(name, suffix) names[#names + 1] = name .. suffix end
  for layer = 0, self.num_layers - 1 do
    for direction = 1, self.bidirectional and 2 or 1 do
      local suffix = ("_l%d%s"):format(layer, direction == 2 and "_reverse" or "")
      add("weight_ih", suffix)
      add("weight_hh", suffix)
      if bias then
        add("bias_ih", suffix)
        add("bias_hh", suffix)
      end
      if projects then add("weight_hr", suffix) end
    end
  end
  names_by_shape[key] = names
  return names
end

local function weights_of(self)
  local out = {}
  for i, name in ipairs(names_of(self)) do out[i] = self[name] end
  return out
end

-- --- checks ------------------------------------------------------------------------------------------------

local function size_text(sizes) return "(" .. table.concat(sizes, ", ") .. ")" end

local function check_state(hx, expected, words)
  local right = hx.ndim == 3
  for i = 1, 3 do right = right and hx.shape[i - 1] == expected[i] end
  if not right then fail("RuntimeError", words, size_text(expected), tostring(hx.shape):match "%[.*%]") end
end

-- Returns the sizes that the states must have: the hidden state, and that of the cells.
local function expected_sizes(self, batch)
  local layers = self.num_layers * (self.bidirectional and 2 or 1)
  local projected = self.proj_size or 0
  return {layers, batch, projected > 0 and projected or self.hidden_size}, {layers, batch, self.hidden_size}
end

local function check_input(self, input, dims)
  if input.ndim ~= dims then fail("RuntimeError", "input must have %d dimensions, got %d", dims, input.ndim) end
  if input.shape[-1] ~= self.input_size then
    torch._raise("RuntimeError", ("input.size(-1) must be equal to input_size. Expected %d, got %d"):format(self.input_size,
      input.shape[-1]), "the input is (steps, batch, input_size); with batch_first = true (batch, steps, input_size)")
  end
end

local function permuted(hx, permutation)
  return permutation and hx:index_select(1, permutation) or hx
end

-- --- running -----------------------------------------------------------------------------------------------

-- Runs the operator of a layer. Its state may be a pair.
local function run(self, op, input, states, batch_sizes)
  local weights = weights_of(self)
  local hx = #states == 2 and states or states[1]
  if batch_sizes then
    return op(input, batch_sizes, hx, weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
  end
  return op(input, hx, weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first)
end

local function zero_states(self, like, batch, pair)
  local hidden, cells = expected_sizes(self, batch)
  local options = {dtype = like.dtype, device = like.device}
  return pair and {torch.zeros(hidden, options), torch.zeros(cells, options)} or {torch.zeros(hidden, options)}
end

local function check_states(self, states, batch)
  local hidden, cells = expected_sizes(self, batch)
  if #states == 1 then
    check_state(states[1], hidden, "Expected hidden size %s, got %s")
  else
    check_state(states[1], hidden, "Expected hidden[0] size %s, got %s")
    check_state(states[2], cells, "Expected hidden[1] size %s, got %s")
  end
end

local function run_packed(self, op, packed, given, pair)
  local batch = packed.batch_sizes[0]:item()
  check_input(self, packed.data, 2)
  local states = {}
  if given then
    for i, h in ipairs(given) do states[i] = permuted(h, packed.sorted_indices) end
  else
    states = zero_states(self, packed.data, batch, pair)
  end
  check_states(self, states, batch)
  local output, h, c = run(self, op, packed.data, states, packed.batch_sizes)
  local PackedSequence = torch.nn.utils.rnn.PackedSequence
  return PackedSequence(output, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices),
    permuted(h, packed.unsorted_indices), c and permuted(c, packed.unsorted_indices)
end

-- Returns the given states, with a batch of one if the input has no batch.
local function batched_states(given, alone)
  local want, states = alone and 2 or 3, {}
  for _, h in ipairs(given) do
    if h.ndim ~= want then
      local kind = alone and "unbatched 2-D" or "batched 3-D"
      if #given == 2 then
        fail("RuntimeError", "For %s input, hx and cx should also be %d-D but got (%d-D, %d-D) tensors", kind, want, given[1].ndim, given[2].ndim)
      end
      fail("RuntimeError", "For %s input, hx should also be %d-D but got %d-D tensor", kind, want, h.ndim)
    end
  end
  for i, h in ipairs(given) do states[i] = alone and h:unsqueeze(1) or h end
  return states
end

local function run_padded(self, op, input, given, pair)
  if not torch.is_tensor(input) then
    fail("AttributeError", "'%s' object has no attribute 'dim'", torch._python_type(input))
  end
  if input.ndim ~= 2 and input.ndim ~= 3 then
    local words = pair and "LSTM: Expected input to be 2D or 3D, got %dD instead" or self:isinstance(torch.nn.GRU) and
      "GRU: Expected input to be 2D or 3D, got %dD instead" or "RNN: Expected input to be 2D or 3D, got %dD tensor instead"
    fail("ValueError", words, input.ndim)
  end
  local alone, batch_dim = input.ndim == 2, self.batch_first and 0 or 1
  if alone then input = input:unsqueeze(batch_dim) end
  local batch = input.shape[batch_dim]
  local states = given and batched_states(given, alone) or zero_states(self, input, batch, pair)
  check_input(self, input, 3)
  check_states(self, states, batch)
  local output, h, c = run(self, op, input, states)
  if not alone then return output, h, c end
  return output:squeeze(batch_dim), h:squeeze(1), c and c:squeeze(1)
end

-- Returns the forward of a class. pair: hx is {h, c}.
local function forward(name, choose, pair)
  local read = torch._define(name .. ".forward(input, hx?)")
  return function(self, input, hx, ...)
    local plain = torch.is_tensor(input) and (hx == nil or torch.is_tensor(hx) or pair and type(hx) == "table" and hx[1] and not hx.hx)
    if not plain or select("#", ...) > 0 then
      local a = type(input) == "table" and input.batch_sizes and {input = input, hx = hx} or read(input, hx, ...)
      input, hx = a.input, a.hx
    end
    local states = hx
    if hx and not pair then states = {hx} end
    if pair and hx and (type(hx) ~= "table" or #hx ~= 2) then
      fail("ValueError", "LSTM: hx is the table {h, c}")
    end
    local run_it = type(input) == "table" and input.batch_sizes and run_packed or run_padded
    local output, h, c = run_it(self, choose(self), input, states, pair)
    if pair then return output, {h, c} end
    return output, h
  end
end

return {
  LSTM = forward("LSTM", function() return torch.lstm end, true),
  GRU = forward("GRU", function() return torch.gru end, false),
  RNN = forward("RNN", function(self) return self.nonlinearity == "relu" and torch.rnn_relu or torch.rnn_tanh end, false),
}
