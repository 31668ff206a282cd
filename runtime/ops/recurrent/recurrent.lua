-- recurrent.lua: recurrent layers and cells (the notation: list/read.lua). All are made of `_recurrent_layer`, one layer in one
-- direction over packed sequences.

op "_recurrent_layer" {
  "(Tensor input, Tensor hx, Tensor? c0, Tensor weight_ih, Tensor weight_hh, Tensor? bias_ih, Tensor? bias_hh, Tensor? weight_hr, int mode, bool reverse, int[] batch_sizes) -> (Tensor output, Tensor hy, Tensor cy, Tensor gates, Tensor cells, Tensor states)",
  forms = {},
  backward = "tocha_recurrent_backward",
  differentiable = {"input", "hx", "c0", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"},
  saves = {"input", "hx", "c0", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr", "output", "gates", "cells", "states"},
  sample = {{5, 3}, {3, 4}, {3, 4}, {16, 3}, {16, 4}, {16}, {16}, mode = 2, reverse = false, batch_sizes = {3, 2}},
  doc = "A recurrent layer of mode 0 relu, 1 tanh, 2 LSTM, 3 GRU over the rows of all time steps, the first batch_sizes[0], then batch_sizes[1], ...",
}

-- Declares an operator that shapes the outputs of all steps: one for each node that may stand here in the graph.
local function steps(name)
  op(name) {
    "(Tensor self, size[] sizes) -> Tensor",
    forms = {}, implementation = "tocha_op__steps",
    grad = {self = "reshape(grad, sizes(self))"},
    sample = {{6, 4}, {3, 2, 4}},
    doc = "The outputs of a recurrent layer, a row for each step and sequence, with their sizes.",
  }
end
steps "_stacked_steps"
steps "_joined_steps"
steps "_fused_steps"

op "_batch_first_steps" {
  "(Tensor self) -> Tensor",
  forms = {},
  grad = {self = "transpose(grad, 0, 1)"},
  sample = {{3, 2, 4}},
  doc = "The outputs of all steps with the batch first, sharing self's memory.",
}

local sequence = "int num_layers, float dropout, bool train, bool bidirectional"

-- Declares NAME.input and NAME.data. gates: their number; hidden, results: the incoming and outgoing states; mode:
-- selects a mode with one state.
local function layers(name, gates, hidden, results, doc, mode)
  local two = hidden == "Tensor[]"
  local function states(n, rows) return two and {{n, rows, 4}, {n, rows, 4}} or {n, rows, 4} end
  local n = 4 * gates
  op(name .. ".input") {
    "(Tensor input, " .. hidden .. " hx, Tensor[] params, bool has_biases, " .. sequence .. ", bool batch_first) -> " .. results,
    implementation = mode and "tocha_op_rnn_input", with = mode and {mode = mode},
    forms = {"torch"}, composite = true, tolerance = 1e-5,
    samples = {
      {{3, 2, 3}, states(1, 2), {{n, 3}, {n, 4}, {n}, {n}}, true, 1, 0.0, true, false, false},
      {{2, 3, 3}, states(4, 2), {{n, 3}, {n, 4}, {n, 3}, {n, 4}, {n, 8}, {n, 4}, {n, 8}, {n, 4}}, false, 2, 0.0, false, true, true},
    },
    doc = doc .. " Over (T, B, F), or (B, T, F) with batch_first: the outputs of all steps, the last states.",
  }
  local batch = {states(1, 4), states(2, 4)}
  local sizes = {1, int = 1, offset = 4, dtype = "int64", cpu = true}   -- a single step, so the shapes agree
  op(name .. ".data") {
    "(Tensor data, Tensor batch_sizes, " .. hidden .. " hx, Tensor[] params, bool has_biases, " .. sequence .. ") -> " .. results,
    implementation = mode and "tocha_op_rnn_data", with = mode and {mode = mode},
    forms = {"torch"}, composite = true, any_device = true,
    samples = {
      {{4, 3}, sizes, batch[1], {{n, 3}, {n, 4}, {n}, {n}}, true, 1, 0.0, true, false},
      {{4, 3}, sizes, batch[2], {{n, 3}, {n, 4}, {n}, {n}, {n, 3}, {n, 4}, {n}, {n}}, true, 1, 0.0, false, true},
    },
    doc = "The same over packed sequences: the rows of all steps, the first batch_sizes[0], then batch_sizes[1], ...",
  }
end

layers("rnn_tanh", 1, "Tensor", "(Tensor output, Tensor hy)", "h = tanh(W_ih x + b_ih + W_hh h + b_hh).", "TOCHA_RNN_TANH")
layers("rnn_relu", 1, "Tensor", "(Tensor output, Tensor hy)", "h = relu(W_ih x + b_ih + W_hh h + b_hh).", "TOCHA_RNN_RELU")
layers("gru", 3, "Tensor", "(Tensor output, Tensor hy)", "Gated recurrent units: h = (1 - z) n + z h, with the gates r, z, n.", "TOCHA_GRU")
layers("lstm", 4, "Tensor[]", "(Tensor output, Tensor hy, Tensor cy)", "Long short-term memory: c = f c + i g, h = o tanh(c), perhaps projected.")

local function cell(name, gates, doc, mode)
  local n = 4 * gates
  op(name) {
    "(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh) -> Tensor",
    implementation = mode and "tocha_op_rnn_cell", with = mode and {mode = mode},
    forms = {"torch"}, composite = true,
    samples = {{{2, 3}, {2, 4}, {n, 3}, {n, 4}, {n}, {n}}, {{2, 3}, {2, 4}, {n, 3}, {n, 4}}},
    doc = doc,
  }
end

cell("rnn_tanh_cell", 1, "One step of rnn_tanh.", "TOCHA_RNN_TANH")
cell("rnn_relu_cell", 1, "One step of rnn_relu.", "TOCHA_RNN_RELU")
cell("gru_cell", 3, "One step of gru.")
op "lstm_cell" {
  "(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh) -> (Tensor hy, Tensor cy)",
  forms = {"torch"}, composite = true,
  samples = {{{2, 3}, {{2, 4}, {2, 4}}, {16, 3}, {16, 4}, {16}, {16}}, {{2, 3}, {{2, 4}, {2, 4}}, {16, 3}, {16, 4}}},
  doc = "One step of lstm: the hidden state and the cells.",
}
