-- Recurrent layers and cells: printed forms, names and first values of their members, states, packed sequences, errors.
local torch = require "torch"
local nn = torch.nn
local function try(f, ...)
  local ok, e = pcall(f, ...)
  print(ok, (tostring(e):match "^[^\n]*"))
end
torch.manual_seed(1)
local x = torch.rand(4, 2, 3)
for _, layer in ipairs{nn.RNN(3, 5), nn.RNN(3, 5, {nonlinearity = "relu", num_layers = 2}), nn.GRU(3, 5, {bidirectional = true}),
  nn.GRU(3, 5, {num_layers = 2, bias = false, batch_first = true})} do
  print(layer)
  for name, p in layer:named_parameters() do print(name, p.shape, torch.format("%.4f", p:sum())) end
  local out, h = layer(x)
  print(out.shape, h.shape, torch.format("%.4f", out:sum()), torch.format("%.4f", h:sum()))
  out = layer(x, h)
  print(torch.format("%.4f", out:sum()))
  out, h = layer(x[0])
  print(out.shape, h.shape)
end
for _, layer in ipairs{nn.LSTM(3, 5, {num_layers = 2, dropout = 0.5}), nn.LSTM(3, 5, {proj_size = 2, bidirectional = true, batch_first = true})} do
  print(layer)
  for name, p in layer:named_parameters() do print(name, p.shape, torch.format("%.4f", p:sum())) end
  local out, hc = layer:eval()(x)
  print(out.shape, hc[1].shape, hc[2].shape, torch.format("%.4f", out:sum()))
  out, hc = layer(x, hc)
  print(torch.format("%.4f", out:sum()), torch.format("%.4f", hc[2]:sum()))
end
local lstm = nn.LSTM(3, 5)
for _, cell in ipairs{nn.RNNCell(3, 5), nn.RNNCell(3, 5, {nonlinearity = "relu", bias = false}), nn.GRUCell(3, 5)} do
  print(cell)
  local h = cell(x[0])
  print(h.shape, torch.format("%.4f", h:sum()), torch.format("%.4f", cell(x[0], h):sum()), cell(x[0][0]).shape)
end
local cell = nn.LSTMCell(3, 5)
local h, c = cell(x[0])
print(cell, h.shape, torch.format("%.4f", c:sum()))
h, c = cell(x[0], {h, c})
print(torch.format("%.4f", h:sum()), torch.format("%.4f", c:sum()))
try(lstm, torch.ones(3))
try(lstm, torch.ones(4, 2, 4))
try(lstm, x, {torch.zeros(1, 3, 5), torch.zeros(1, 3, 5)})
try(nn.GRU(3, 5), x, torch.zeros(1, 5))
try(nn.RNN, 3, 5, {nonlinearity = "sin"})
try(nn.LSTM, 3, 5, {proj_size = 5})
try(nn.RNN, 3, 0)
try(cell, torch.ones(2, 2, 3))
