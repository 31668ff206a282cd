-- softmax.lua: softmax and related functions (the notation: list/read.lua).

op "softmax" {
  "(Tensor self, dim dim, dtype? dtype) -> Tensor",
  implementation = "tocha_op_softmax", with = {log = false},
  aliases = {"special.softmax"},
  grad = {self = "_softmax_backward_data(grad, result, dim)"},
  samples = {{{3, 4}, 1}, {{3, 4}, 0}},
  details = "Floating point; dtype converts first. The results along dim are positive and sum to 1. Before a cross entropy leave it out: " ..
    "nn.CrossEntropyLoss takes the scores themselves.",
  doc = "exp(x) / sum(exp(x)) along a dimension.",
}
op "softmax.functional" {
  "(Tensor input, dim? dim, int _stacklevel=3, dtype? dtype) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, 1},
  doc = "exp(x) / sum(exp(x)) along a dimension.",
}
op "log_softmax" {
  "(Tensor self, dim dim, dtype? dtype) -> Tensor",
  implementation = "tocha_op_softmax", with = {log = true},
  grad = {self = "_log_softmax_backward_data(grad, result, dim)"},
  samples = {{{3, 4}, 1}, {{3, 4}, 0}},
  details = "Floating point; dtype converts first. More exact than the logarithm of softmax; nll_loss takes its results.",
  doc = "log(softmax(x)) along a dimension, without overflow.",
}
op "log_softmax.special" {
  "(Tensor input, dim dim, *, dtype? dtype) -> Tensor",
  forms = {"special"}, composite = "log_softmax(input, dim, dtype)",
  samples = {{{3, 4}, 1}, {{3, 4}, 0}},
  doc = "log(softmax(x)) along a dimension, without overflow.",
}
op "log_softmax.functional" {
  "(Tensor input, dim? dim, int _stacklevel=3, dtype? dtype) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, 1},
  doc = "log(softmax(x)) along a dimension, without overflow.",
}
op "softmin" {
  "(Tensor input, dim? dim, int _stacklevel=3, dtype? dtype) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{3, 4}, 1},
  doc = "softmax(-x) along a dimension.",
  details = "The smallest values get the largest shares; they sum to 1 along dim. nn.Softmin is the module.",
}
op "_softmax_backward_data" {
  "(Tensor grad_output, Tensor output, dim dim) -> Tensor",
  implementation = "tocha_op__softmax_backward", with = {log = false},
  forms = {},
  grad = {grad_output = "_softmax_backward_data(grad, output, dim)",
    output = "grad * (grad_output - sum_dim_IntList(grad_output * output, [dim], true)) - grad_output * sum_dim_IntList(grad * output, [dim], true)"},
  sample = {{3, 4}, {3, 4}, 1},
  doc = "(grad - sum(grad * output)) * output, the gradient of softmax.",
}
op "_log_softmax_backward_data" {
  "(Tensor grad_output, Tensor output, dim dim) -> Tensor",
  implementation = "tocha_op__softmax_backward", with = {log = true},
  forms = {},
  grad = {grad_output = "grad - sum_dim_IntList(grad * exp(output), [dim], true)",
    output = "-(grad * exp(output) * sum_dim_IntList(grad_output, [dim], true))"},
  sample = {{3, 4}, {3, 4}, 1},
  doc = "grad - exp(output) * sum(grad), the gradient of log_softmax.",
}
