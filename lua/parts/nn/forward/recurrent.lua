-- forward/recurrent.lua: takes apart what RNN, LSTM and GRU get in Lua for their forward in C (runtime/nn/recurrent_forward.c): packed
-- sequences, and an LSTM's states {h, c}.
local torch = ...
local support = torch._part "support"
local fail, run = support.fail, torch._run_in_c

-- Returns the forward of a class. pair: hx is {h, c}.
local function forward(name, pair)
  local read = torch._define(name .. ".forward(input, hx?)")
  return function(self, input, hx, ...)
    local plain = torch.is_tensor(input) and (hx == nil or torch.is_tensor(hx) or pair and type(hx) == "table" and hx[1] and not hx.hx)
    if not plain or select("#", ...) > 0 then
      local a = type(input) == "table" and input.batch_sizes and {input = input, hx = hx} or read(input, hx, ...)
      input, hx = a.input, a.hx
    end
    if pair and hx and (type(hx) ~= "table" or #hx ~= 2) then
      fail("ValueError", "LSTM: hx is the table {h, c}")
    end
    local packed, output, h, c = type(input) == "table" and input.batch_sizes and input
    if packed then
      output, h, c = run(self, packed.data, hx, {batch_sizes = packed.batch_sizes, sorted_indices = packed.sorted_indices,
        unsorted_indices = packed.unsorted_indices})
      output = torch.nn.utils.rnn.PackedSequence(output, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
    else
      output, h, c = run(self, input, hx)
    end
    if pair then return output, {h, c} end
    return output, h
  end
end

return {LSTM = forward("LSTM", true), GRU = forward("GRU", false), RNN = forward("RNN", false)}
