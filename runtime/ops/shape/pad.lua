-- pad.lua: tensors with more around them (the notation: list/read.lua).

op "constant_pad_nd" {
  "(Tensor self, int[] pad, Scalar value=0) -> Tensor",
  forms = {"torch"},
  grad = {self = "_constant_pad_backward(grad, pad)"},
  samples = {{{2, 3}, {1, 2}}, {{2, 3, 4}, {-1, 2, 1, 0}, 2.5}},
  doc = "The tensor with pad[0] more elements before and pad[1] after in its last dimension, pad[2] and pad[3] in the one before, ...; fewer where negative.",
}
op "_constant_pad_backward" {
  "(Tensor grad_output, int[] pad) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 6}, {1, 2}},
  doc = "The gradient of constant_pad_nd: padding by as much less.",
}
