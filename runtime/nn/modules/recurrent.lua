-- recurrent.lua: recurrent layers and cells (the notation: nn/modules.lua). nn/recurrent.c creates their members.
-- In Lua an LSTM's states are a pair, and a sequence may be packed: lua/parts/nn/forward takes these apart.

local options = "bool bias=true, bool batch_first=false, float dropout=0.0, bool bidirectional=false"
local shown = "{input_size}, {hidden_size}%s{num_layers!1}{bias!True}{batch_first!False}{dropout!0.0}{bidirectional!False}"
local check = {
  "0 <= dropout and dropout <= 1: dropout should be a number in range [0, 1] representing the probability of an element being zeroed",
  "hidden_size > 0: hidden_size must be greater than zero",
  "num_layers > 0: num_layers must be greater than zero",
}

local check_projected = {
  check[1], check[2], check[3],
  "proj_size >= 0: proj_size should be a positive integer or zero to disable projections",
  "proj_size < hidden_size: proj_size has to be smaller than hidden_size",
}

module "RNNBase" {
  "(string mode, int input_size, int hidden_size, int num_layers=1, " .. options .. ", int proj_size=0, device? device, dtype? dtype)",
  check = check_projected, init = "recurrent", reset = "recurrent", repr = shown:format "{proj_size!0}",
  doc = "What RNN, LSTM and GRU have in common: the parameters of a mode (RNN_TANH, RNN_RELU, LSTM, GRU), and no forward.",
}
local details = "The input is (T, N, input_size), (N, T, input_size) with batch_first, or without N. The state that may follow it, {h0, c0} for an LSTM, else h0, " ..
  "is zeros unless given. Two results: local output, h = rnn(x). output is (T, N, hidden_size), of twice that size if bidirectional, and h, the last " ..
  "state of each layer (a table of h and c for an LSTM), is (num_layers, N, hidden_size)."

-- Returns the signature of a layer's forward. The last three tensors are those of a packed sequence, whose data is the input.
local function call_of(states, results)
  return ("(Tensor input, %s hx, *, Tensor? batch_sizes, Tensor? sorted_indices, Tensor? unsorted_indices) -> (%s)"):format(states, results)
end

local function layer(name, signature, doc, checks)
  local pair = name == "LSTM"
  module(name) {
    base = "RNNBase",
    signature, script = "recurrent", run = "recurrent",
    call = pair and call_of("Tensor[]?", "Tensor output, Tensor h, Tensor c") or call_of("Tensor?", "Tensor output, Tensor h"), check = checks or check, init = "recurrent", reset = "recurrent",
    repr = shown:format(signature:find "proj_size" and "{proj_size!0}" or ""),
    declared = "RNNBase", doc = doc, details = details,
  }
end
layer("RNN", "(int input_size, int hidden_size, int num_layers=1, string nonlinearity='tanh', " .. options .. ", device? device, dtype? dtype)",
  "h = tanh(W_ih x + b_ih + W_hh h + b_hh) over a sequence (T, N, input_size), or (N, T, input_size) with batch_first: gives the outputs of all steps (T, N, hidden_size) and the last states (num_layers, N, hidden_size); with bidirectional twice as many.")
layer("LSTM", "(int input_size, int hidden_size, int num_layers=1, " .. options .. ", int proj_size=0, device? device, dtype? dtype)",
  "Long short-term memory over a sequence (T, N, input_size), or (N, T, input_size) with batch_first: gives the outputs of all steps (T, N, hidden_size) and the last states {h, c}, each (num_layers, N, hidden_size); with bidirectional twice as many.",
  check_projected)
layer("GRU", "(int input_size, int hidden_size, int num_layers=1, " .. options .. ", device? device, dtype? dtype)",
  "Gated recurrent units over a sequence (T, N, input_size), or (N, T, input_size) with batch_first: gives the outputs of all steps (T, N, hidden_size) and the last states (num_layers, N, hidden_size); with bidirectional twice as many.")

-- Returns the parameters of a cell with this number of gates.
local function members(gates)
  local uniform = ": uniform_(-bound, bound) where bound = 1 / sqrt(hidden_size)"
  return {
    ("weight_ih (%s * hidden_size, input_size)"):format(gates) .. uniform,
    ("weight_hh (%s * hidden_size, hidden_size)"):format(gates) .. uniform,
    ("bias_ih (%s * hidden_size) if bias"):format(gates) .. uniform,
    ("bias_hh (%s * hidden_size) if bias"):format(gates) .. uniform,
  }
end

module "RNNCellBase" {
  "(int input_size, int hidden_size, bool bias, int num_chunks, device? device, dtype? dtype)",
  parameters = members "num_chunks", repr = "{input_size}, {hidden_size}{bias!True}",
  doc = "What RNNCell, LSTMCell and GRUCell have in common: the parameters of so many gates, and no forward.",
}
local function cell(name, gates, signature, doc)
  module(name) {
    "(int input_size, int hidden_size, bool bias=true, " .. signature .. "device? device, dtype? dtype)",
    base = "RNNCellBase", run = "cells", parameters = members(gates),
    call = name == "LSTMCell" and "(Tensor input, Tensor[]? hx) -> (Tensor h, Tensor c)" or "(Tensor input, Tensor? hx) -> Tensor",
    repr = "{input_size}, {hidden_size}{bias!True}" .. (signature ~= "" and "{nonlinearity!tanh}" or ""),
    doc = doc,
  }
end
cell("RNNCell", 1, "string nonlinearity='tanh', ", "One step of an RNN: x (N, input_size) and h (N, hidden_size) to the next h.")
cell("LSTMCell", 4, "", "One step of an LSTM: x (N, input_size) and {h, c}, each (N, hidden_size), to the next h and c.")
cell("GRUCell", 3, "", "One step of a GRU: x (N, input_size) and h (N, hidden_size) to the next h.")
