-- convolution.lua: convolutions, their transposes, and images as columns (the notation: list/read.lua). conv1d and the like call
-- `convolution`. The operator and its gradients are closed under differentiation, because each is linear in each of its tensors.

op "convolution" {
  "(Tensor input, Tensor weight, Tensor? bias, int[1] stride, int[1] padding, int[1] dilation, bool transposed, int[1] output_padding, int groups) -> Tensor",
  tied = true,
  forms = {"torch"},
  grad = {
    input = "_convolution_backward_input(grad, weight, sizes(input), stride, padding, dilation, transposed, output_padding, groups)",
    weight = "_convolution_backward_weight(grad, input, sizes(weight), stride, padding, dilation, transposed, output_padding, groups)",
    bias = "_convolution_bias_grad(grad, input, weight, stride, dilation, transposed, groups)",
  },
  samples = {
    {{2, 3, 5, 4}, {4, 3, 3, 2}, {4}, {2, 1}, {1, 0}, {1, 2}, false, {0, 0}, 1},
    {{2, 4, 3, 3}, {4, 1, 2, 3}, {2}, {2, 1}, {1, 1}, {1, 1}, true, {1, 0}, 2},
  },
  doc = "The sum over windows of the input times the weight, plus the bias: (N, C, ...) with (O, C / groups, ...) to (N, O, ...).",
}
op "_convolution_backward_input" {
  "(Tensor grad_output, Tensor weight, int[] sizes, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor",
  forms = {},
  grad = {
    grad_output = "convolution(grad, weight, nil, stride, padding, dilation, transposed, output_padding, groups)",
    weight = "_convolution_backward_weight(grad_output, grad, sizes(weight), stride, padding, dilation, transposed, output_padding, groups)",
  },
  sample = {{2, 4, 3, 2}, {4, 3, 3, 2}, {2, 3, 5, 4}, {2, 1}, {1, 0}, {1, 2}, false, {0, 0}, 1},
  doc = "The gradient of convolution for its input.",
}
op "_convolution_backward_weight" {
  "(Tensor grad_output, Tensor input, int[] sizes, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor",
  forms = {},
  grad = {
    grad_output = "convolution(input, grad, nil, stride, padding, dilation, transposed, output_padding, groups)",
    input = "_convolution_backward_input(grad_output, grad, sizes(input), stride, padding, dilation, transposed, output_padding, groups)",
  },
  sample = {{2, 4, 3, 2}, {2, 3, 5, 4}, {4, 3, 3, 2}, {2, 1}, {1, 0}, {1, 2}, false, {0, 0}, 1},
  doc = "The gradient of convolution for its weight.",
}
op "_convolution_bias_grad" {
  "(Tensor grad_output, Tensor input, Tensor weight, int[] stride, int[] dilation, bool transposed, int groups) -> Tensor",
  forms = {},
  backward = "tocha_grad_convolution_bias_grad", differentiable = {"grad_output"},
  samples = {{{2, 3, 4}, {2, 2, 5}, {3, 2, 2}, {1}, {1}, false, 1}, {{2, 3, 5, 4}, {2, 2, 4, 3}, {2, 3, 2, 2}, {1}, {1}, true, 1}},
  doc = "The gradient of convolution for its bias: the sum of each channel of grad_output. Only the sizes of input and weight are read.",
}
op "conv1d" {
  "(Tensor input, Tensor weight, Tensor? bias, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1) -> Tensor",
  implementation = "tocha_op_conv", with = {name = "conv1d", space = 1},
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 7}, {4, 3, 3}, {4}}, {{3, 7}, {4, 3, 3}, stride = 2, padding = 1}, {{2, 4, 7}, {4, 2, 3}, padding = 2, dilation = 2, groups = 2}},
  details = "L becomes (L + 2 padding - dilation (K - 1) - 1) // stride + 1. groups must divide both C and O. nn.Conv1d is the module.",
  doc = "Convolution over (N, C, L) or (C, L), with a weight (O, C / groups, K).",
}
op "conv1d.padding" {
  "(Tensor input, Tensor weight, Tensor? bias, int[1] stride=1, string padding='valid', int[1] dilation=1, int groups=1) -> Tensor",
  implementation = "tocha_op_conv_padding", with = {name = "conv1d", space = 1},
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 7}, {4, 3, 3}, {4}, padding = "same"}, {{2, 3, 7}, {4, 3, 4}, padding = "same", dilation = 3}},
  doc = "The same; padding 'same' keeps the length, 'valid' pads nothing.",
}
op "conv2d" {
  "(Tensor input, Tensor weight, Tensor? bias, int[2] stride=1, int[2] padding=0, int[2] dilation=1, int groups=1) -> Tensor",
  implementation = "tocha_op_conv", with = {name = "conv2d", space = 2},
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 5, 4}, {4, 3, 3, 2}, {4}}, {{3, 5, 4}, {4, 3, 1, 1}}, {{2, 4, 6, 5}, {8, 1, 3, 3}, {8}, stride = {2, 1}, padding = {1, 2}, groups = 4}},
  details = "H becomes (H + 2 padding - dilation (KH - 1) - 1) // stride + 1, and W accordingly. stride, padding and dilation are a number or " ..
    "{height, width}; groups must divide both C and O, and groups = C is a depthwise convolution. nn.Conv2d is the module.",
  doc = "Convolution over (N, C, H, W) or (C, H, W), with a weight (O, C / groups, KH, KW).",
}
op "conv2d.padding" {
  "(Tensor input, Tensor weight, Tensor? bias, int[2] stride=1, string padding='valid', int[2] dilation=1, int groups=1) -> Tensor",
  implementation = "tocha_op_conv_padding", with = {name = "conv2d", space = 2},
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 5, 4}, {4, 3, 3, 3}, {4}, padding = "same"}, {{2, 3, 5, 4}, {4, 3, 2, 3}, padding = "valid"}},
  doc = "The same; padding 'same' keeps height and width, 'valid' pads nothing.",
}
op "conv3d" {
  "(Tensor input, Tensor weight, Tensor? bias, int[3] stride=1, int[3] padding=0, int[3] dilation=1, int groups=1) -> Tensor",
  implementation = "tocha_op_conv", with = {name = "conv3d", space = 3},
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 4, 5, 4}, {2, 3, 2, 3, 2}, {2}}, {{2, 4, 3, 4}, {2, 1, 2, 2, 2}, stride = {1, 2, 1}, padding = 1, groups = 2}},
  doc = "Convolution over (N, C, D, H, W) or (C, D, H, W), with a weight (O, C / groups, KD, KH, KW).",
}
op "conv3d.padding" {
  "(Tensor input, Tensor weight, Tensor? bias, int[3] stride=1, string padding='valid', int[3] dilation=1, int groups=1) -> Tensor",
  implementation = "tocha_op_conv_padding", with = {name = "conv3d", space = 3},
  forms = {"torch", "nn.functional"}, composite = true,
  sample = {{1, 2, 3, 4, 4}, {2, 2, 3, 1, 3}, padding = "same"},
  doc = "The same; padding 'same' keeps depth, height and width, 'valid' pads nothing.",
}
op "conv_transpose1d" {
  "(Tensor input, Tensor weight, Tensor? bias, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor",
  implementation = "tocha_op_conv_transpose", with = {name = "conv_transpose1d", space = 1},
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 5}, {3, 4, 3}, {4}}, {{4, 5}, {4, 2, 3}, stride = 3, padding = 1, output_padding = 2, groups = 2}},
  doc = "The gradient of conv1d with respect to its input, as an operator: a weight (C, O / groups, K).",
}
op "conv_transpose2d" {
  "(Tensor input, Tensor weight, Tensor? bias, int[2] stride=1, int[2] padding=0, int[2] output_padding=0, int groups=1, int[2] dilation=1) -> Tensor",
  implementation = "tocha_op_conv_transpose", with = {name = "conv_transpose2d", space = 2},
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 4, 3}, {3, 4, 3, 2}, {4}}, {{2, 4, 3, 3}, {4, 1, 2, 3}, {2}, stride = 2, output_padding = 1, groups = 2, dilation = {2, 1}}},
  details = "H becomes (H - 1) stride - 2 padding + dilation (KH - 1) + output_padding + 1: it makes images larger. The weight begins with " ..
    "the input's channels. nn.ConvTranspose2d is the module.",
  doc = "The gradient of conv2d with respect to its input, as an operator: a weight (C, O / groups, KH, KW).",
}
op "conv_transpose3d" {
  "(Tensor input, Tensor weight, Tensor? bias, int[3] stride=1, int[3] padding=0, int[3] output_padding=0, int groups=1, int[3] dilation=1) -> Tensor",
  implementation = "tocha_op_conv_transpose", with = {name = "conv_transpose3d", space = 3},
  forms = {"torch", "nn.functional"}, composite = true,
  sample = {{1, 2, 2, 3, 3}, {2, 3, 2, 2, 3}, {3}, stride = {1, 2, 1}},
  doc = "The gradient of conv3d with respect to its input, as an operator: a weight (C, O / groups, KD, KH, KW).",
}
op "im2col" {
  "(Tensor self, int[] kernel_size, int[] dilation, int[] padding, int[] stride) -> Tensor",
  forms = {},
  grad = {self = "_fold(grad, sizes(self), kernel_size, dilation, padding, stride)"},
  sample = {{2, 3, 5, 4}, {3, 2}, {1, 1}, {1, 0}, {2, 1}},
  doc = "The windows of images as columns: (N, C, H, W) to (N, C * KH * KW, windows).",
}
op "_fold" {
  "(Tensor self, int[] sizes, int[] kernel_size, int[] dilation, int[] padding, int[] stride) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 18, 9}, {2, 3, 5, 4}, {3, 2}, {1, 1}, {1, 0}, {2, 1}},
  doc = "Columns back to images of these sizes, (N, C, H, W) or (C, H, W).",
}
op "col2im" {
  "(Tensor self, int[] output_size, int[] kernel_size, int[] dilation, int[] padding, int[] stride) -> Tensor",
  forms = {},
  grad = {self = "im2col(grad, kernel_size, dilation, padding, stride)"},
  sample = {{2, 18, 9}, {5, 4}, {3, 2}, {1, 1}, {1, 0}, {2, 1}},
  doc = "The sum of columns at each place of the images they were taken from.",
}
op "unfold.functional" {
  "(Tensor input, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 5, 4}, {3, 2}}, {{3, 5, 4}, 2, padding = 1, stride = 2}},
  details = "A window of KH x KW places, stride apart, is a column; a convolution is the product of the weight (O, C * KH * KW) and these " ..
    "columns. nn.Unfold is the module, nn.functional.fold the way back.",
  doc = "The windows of images as columns: (N, C, H, W) to (N, C * KH * KW, windows).",
}
op "fold" {
  "(Tensor input, int[2] output_size, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 18, 9}, {5, 4}, {3, 2}, padding = {1, 0}, stride = {2, 1}}, {{12, 12}, {5, 4}, 2}},
  doc = "The sum of columns (N, C * KH * KW, windows) at each place of the images (N, C, H, W) they were taken from.",
}
op "conv_tbc" {
  "(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor",
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{7, 2, 3}, {3, 3, 4}, {4}}, {{5, 2, 3}, {2, 3, 4}, {4}, 1}},
  doc = "Convolution over (T, B, C) with a weight (K, C, O) and padding by `pad` on both sides.",
}
