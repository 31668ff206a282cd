-- forward/cells.lua: the forward of RNNCell, LSTMCell and GRUCell.
local torch = ...
local support = torch._part "support"
local fail = support.fail

local function check(name, what, t)
  if t.ndim ~= 1 and t.ndim ~= 2 then
    fail("ValueError", "%s: Expected %s to be 1D or 2D, got %dD instead", name, what, t.ndim)
  end
end

-- Returns the forward of a cell. step(self, input, states) returns the new states. pair: there are two.
local function cell(name, pair, step)
  local read = torch._define(name .. ".forward(input, hx?)")
  return function(self, input, hx, ...)
    if not torch.is_tensor(input) or hx and not torch.is_tensor(hx) and not (pair and hx[1]) or select("#", ...) > 0 then
      local a = read(input, hx, ...)
      input, hx = a.input, a.hx
    end
    check(name, "input", input)
    local states = pair and hx or {hx}
    if states[1] then check(name, pair and "hx[0]" or "hidden", states[1]) end
    if pair and states[2] then check(name, "hx[1]", states[2]) end
    local alone = input.ndim == 1
    if alone then input = input:unsqueeze(0) end
    if hx == nil then
      local zeros = torch.zeros(input.shape[0], self.hidden_size, {dtype = input.dtype, device = input.device})
      states = {zeros, zeros}
    elseif alone then
      states = {states[1]:unsqueeze(0), pair and states[2]:unsqueeze(0) or nil}
    end
    local h, c = step(self, input, states)
    if not pair then return alone and h:squeeze(0) or h end
    if alone then return h:squeeze(0), c:squeeze(0) end
    return h, c
  end
end

return {
  RNNCell = cell("RNNCell", false, function(self, input, states)
    local op = self.nonlinearity == "tanh" and torch.rnn_tanh_cell or self.nonlinearity == "relu" and torch.rnn_relu_cell
    if not op then fail("RuntimeError", "Unknown nonlinearity: %s", self.nonlinearity) end
    return op(input, states[1], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
  end),
  GRUCell = cell("GRUCell", false, function(self, input, states)
    return torch.gru_cell(input, states[1], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
  end),
  LSTMCell = cell("LSTMCell", true, function(self, input, states)
    return torch.lstm_cell(input, {states[1], states[2]}, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
  end),
}
