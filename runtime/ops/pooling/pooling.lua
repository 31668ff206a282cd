-- pooling.lua: maxima, averages and norms of windows of images (the notation: list/read.lua). The gradient of a
-- maximum is added at the maximum's index by gather_backward, whose own gradient is gather.

op "_max_pool2d_with_indices" {
  "(Tensor self, int[2] kernel_size, int[2]? stride, int[2] padding=0, int[2] dilation=1, bool ceil_mode=false) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op__max_pool_with_indices", with = {space = 2},
  tied = true,
  forms = {},
  grad = {self = "_max_pool_backward(grad_output, indices, sizes(self), 2)"},
  sample = {{2, 3, 5, 6}, {3, 2}, {2}, {1}, {1}, true},
  doc = "The greatest of each window, and its number in the plane it is from.",
}
op "_max_pool3d_with_indices" {
  "(Tensor self, int[3] kernel_size, int[3]? stride, int[3] padding=0, int[3] dilation=1, bool ceil_mode=false) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op__max_pool_with_indices", with = {space = 3},
  tied = true,
  forms = {},
  grad = {self = "_max_pool_backward(grad_output, indices, sizes(self), 3)"},
  sample = {{1, 2, 4, 5, 6}, {3, 3, 2}, {2}, {1}, {1}, true},
  doc = "The greatest of each window, and its number in the plane it is from.",
}
op "_max_pool_backward" {
  "(Tensor grad_output, Tensor indices, int[] sizes, int space) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 2, 2}, {2, 2, 2, int = 12}, {2, 3, 4}, 2},
  doc = "Values added to zeros of these sizes at the places they were taken from, numbers in the last `space` dimensions.",
}
op "max_pool1d" {
  "(Tensor self, int[1] kernel_size, int[1]? stride, int[1] padding=0, int[1] dilation=1, bool ceil_mode=false) -> Tensor",
  implementation = "tocha_op_max_pool", with = {space = 1},
  forms = {"torch"}, composite = true,
  samples = {{{2, 3, 7}, 2}, {{3, 8}, 3, {2}, 1, 2, true}},
  doc = "The greatest of each window of (N, C, L) or (C, L).",
  details = "L becomes (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1; stride is kernel_size if none is given. nn.MaxPool1d is the " ..
    "module.",
}
op "max_pool1d.functional" {
  "(Tensor input, int[1]?! kernel_size, int[1]? stride, int[1] padding=0, int[1] dilation=1, bool ceil_mode=false, bool return_indices=false) -> (Tensor output, Tensor? indices)",
  implementation = "tocha_op_max_pool_functional", with = {space = 1, with_indices = false},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 7}, 2}, {{2, 3, 7}, 3, 2, 1, ceil_mode = true, return_indices = true}, {{3, 8}, 3, {2}, 1, 2, true}},
  doc = "The greatest of each window of (N, C, L) or (C, L); with return_indices also its number in the plane it is from.",
}
op "max_pool1d_with_indices" {
  "(Tensor self, int[1] kernel_size, int[1]? stride, int[1] padding=0, int[1] dilation=1, bool ceil_mode=false) -> (Tensor output, Tensor indices)",
  forms = {"torch"}, composite = true,
  sample = {{2, 3, 7}, 3, 2, 1},
  doc = "The greatest of each window of (N, C, L) or (C, L), and its number in the plane it is from.",
}
op "max_pool1d_with_indices.functional" {
  "(Tensor input, int[1] kernel_size, int[1]? stride, int[1] padding=0, int[1] dilation=1, bool ceil_mode=false, bool return_indices=false) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op_max_pool_functional", with = {space = 1, with_indices = true},
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 7}, 3, 2, 1},
  doc = "The greatest of each window of (N, C, L) or (C, L), and its number in the plane it is from.",
}
op "max_pool2d" {
  "(Tensor self, int[2] kernel_size, int[2]? stride, int[2] padding=0, int[2] dilation=1, bool ceil_mode=false) -> Tensor",
  implementation = "tocha_op_max_pool", with = {space = 2},
  forms = {"torch"}, composite = true,
  samples = {{{2, 3, 5, 6}, 2}, {{2, 7, 6}, 3, {1, 2}, 1, 2, true}},
  details = "stride is kernel_size unless given. H becomes (H + 2 padding - dilation (KH - 1) - 1) // stride + 1, rounded up with ceil_mode. " ..
    "padding may be at most half of kernel_size, and counts as -inf.",
  doc = "The greatest of each window of (N, C, H, W) or (C, H, W).",
}
op "max_pool2d.functional" {
  "(Tensor input, int[2]?! kernel_size, int[2]? stride, int[2] padding=0, int[2] dilation=1, bool ceil_mode=false, bool return_indices=false) -> (Tensor output, Tensor? indices)",
  implementation = "tocha_op_max_pool_functional", with = {space = 2, with_indices = false},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 5, 6}, 2}, {{2, 3, 5, 6}, 3, 2, 1, ceil_mode = true, return_indices = true}, {{2, 7, 6}, 3, {1, 2}, 1, 2, true}},
  doc = "The greatest of each window of (N, C, H, W) or (C, H, W); with return_indices also its number in the plane it is from.",
}
op "max_pool2d_with_indices.functional" {
  "(Tensor input, int[2] kernel_size, int[2]? stride, int[2] padding=0, int[2] dilation=1, bool ceil_mode=false, bool return_indices=false) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op_max_pool_functional", with = {space = 2, with_indices = true},
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 5, 6}, 3, 2, 1},
  doc = "The greatest of each window of (N, C, H, W) or (C, H, W), and its number in the plane it is from.",
}
op "max_pool3d" {
  "(Tensor self, int[3] kernel_size, int[3]? stride, int[3] padding=0, int[3] dilation=1, bool ceil_mode=false) -> Tensor",
  implementation = "tocha_op_max_pool", with = {space = 3},
  forms = {"torch"}, composite = true,
  samples = {{{1, 2, 4, 5, 6}, 2}, {{2, 4, 6, 5}, 3, {1, 1, 2}, 1, 1, true}},
  doc = "The greatest of each window of (N, C, D, H, W) or (C, D, H, W).",
}
op "max_pool3d.functional" {
  "(Tensor input, int[3]?! kernel_size, int[3]? stride, int[3] padding=0, int[3] dilation=1, bool ceil_mode=false, bool return_indices=false) -> (Tensor output, Tensor? indices)",
  implementation = "tocha_op_max_pool_functional", with = {space = 3, with_indices = false},
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 2, 4, 5, 6}, 2}, {{1, 2, 4, 5, 6}, 3, 2, 1, ceil_mode = true, return_indices = true}, {{2, 4, 6, 5}, 3, {1, 1, 2}, 1, 1, true}},
  doc = "The greatest of each window of (N, C, D, H, W) or (C, D, H, W); with return_indices also its number in the plane it is from.",
}
op "max_pool3d_with_indices.functional" {
  "(Tensor input, int[3] kernel_size, int[3]? stride, int[3] padding=0, int[3] dilation=1, bool ceil_mode=false, bool return_indices=false) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op_max_pool_functional", with = {space = 3, with_indices = true},
  forms = {"nn.functional"}, composite = true,
  sample = {{1, 2, 4, 5, 6}, 3, 2, 1},
  doc = "The greatest of each window of (N, C, D, H, W) or (C, D, H, W), and its number in the plane it is from.",
}
op "avg_pool1d" {
  "(Tensor self, int[1] kernel_size, int[1]? stride, int[1] padding=0, bool ceil_mode=false, bool count_include_pad=true) -> Tensor",
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 7}, 2}, {{3, 8}, 3, 2, 1, true, false}},
  doc = "The average of each window of (N, C, L) or (C, L).",
  details = "L becomes (L + 2 padding - kernel_size) // stride + 1; stride is kernel_size if none is given. Zeros of the padding count, unless " ..
    "count_include_pad is false. nn.AvgPool1d is the module.",
}
op "avg_pool2d" {
  "(Tensor input, int[2] kernel_size, int[2]? stride, int[2] padding=0, bool ceil_mode=false, bool count_include_pad=true, int? divisor_override) -> Tensor",
  implementation = "tocha_op_avg_pool", with = {space = 2},
  tied = true,
  forms = {"nn.functional"},
  grad = {input = "_avg_pool2d_backward(grad, sizes(input), kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
  samples = {{{2, 3, 5, 6}, 2}, {{2, 7, 6}, 3, 2, 1, true, false}, {{2, 3, 5, 6}, 3, 2, 1, true}, {{2, 3, 5, 6}, {2, 3}, 1, divisor_override = 5}},
  details = "stride is kernel_size unless given. H becomes (H + 2 padding - KH) // stride + 1, rounded up with ceil_mode. padding may be at " ..
    "most half of kernel_size.",
  doc = "The average of each window of (N, C, H, W) or (C, H, W): its sum by the number of its places, or by divisor_override.",
}
op "_avg_pool2d_backward" {
  "(Tensor grad_output, int[] sizes, int[2] kernel_size, int[2]? stride, int[2] padding=0, bool ceil_mode=false, bool count_include_pad=true, int? divisor_override) -> Tensor",
  implementation = "tocha_op__avg_pool_backward", with = {space = 2},
  forms = {},
  grad = {grad_output = "avg_pool2d(grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
  sample = {{2, 3, 3}, {2, 5, 5}, {3}, {2}, {1}},
  doc = "The gradient of avg_pool2d for an input of these sizes.",
}
op "avg_pool3d" {
  "(Tensor input, int[3] kernel_size, int[3]? stride, int[3] padding=0, bool ceil_mode=false, bool count_include_pad=true, int? divisor_override) -> Tensor",
  implementation = "tocha_op_avg_pool", with = {space = 3},
  tied = true,
  forms = {"nn.functional"},
  grad = {input = "_avg_pool3d_backward(grad, sizes(input), kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
  samples = {{{1, 2, 4, 5, 6}, 2}, {{2, 4, 6, 5}, 3, 2, 1, true, false}, {{1, 2, 4, 5, 6}, 3, 2, 1, true}, {{1, 2, 4, 5, 6}, {2, 2, 3}, 1, divisor_override = 5}},
  doc = "The average of each window of (N, C, D, H, W) or (C, D, H, W): its sum by the number of its places, or by divisor_override.",
}
op "_avg_pool3d_backward" {
  "(Tensor grad_output, int[] sizes, int[3] kernel_size, int[3]? stride, int[3] padding=0, bool ceil_mode=false, bool count_include_pad=true, int? divisor_override) -> Tensor",
  implementation = "tocha_op__avg_pool_backward", with = {space = 3},
  forms = {},
  grad = {grad_output = "avg_pool3d(grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"},
  sample = {{2, 3, 3, 3}, {2, 5, 5, 5}, {3}, {2}, {1}},
  doc = "The gradient of avg_pool3d for an input of these sizes.",
}
op "adaptive_avg_pool1d" {
  "(Tensor self, int[1] output_size) -> Tensor",
  forms = {"torch", "nn.functional"}, composite = true,
  samples = {{{2, 3, 7}, 3}, {{3, 8}, 1}},
  doc = "Averages of output_size windows that share (N, C, L) or (C, L).",
  details = "L becomes output_size, whatever it was. nn.AdaptiveAvgPool1d is the module.",
}
op "adaptive_avg_pool2d" {
  "(Tensor input, int?[2] output_size) -> Tensor",
  implementation = "tocha_op_adaptive_avg_pool", with = {space = 2},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 5, 6}, {3, 2}}, {{2, 7, 6}, 1}, {{2, 7, 6}, 2}},
  details = "output_size is a number or {height, width}; 'None' for one keeps that size. With 1 it is the mean of each channel, (N, C, 1, 1), " ..
    "which networks end with.",
  doc = "Averages of windows that share (N, C, H, W) or (C, H, W), output_size of them in each dimension of space.",
}
op "_adaptive_avg_pool2d" {
  "(Tensor self, int[] output_size) -> Tensor",
  implementation = "tocha_op__adaptive_avg_pool", with = {space = 2},
  tied = true,
  forms = {},
  grad = {self = "_adaptive_avg_pool2d_backward(grad, sizes(self))"},
  sample = {{2, 3, 5, 6}, {3, 2}},
  doc = "adaptive_avg_pool2d for the last 2 numbers of output_size, other than 1.",
}
op "_adaptive_avg_pool2d_backward" {
  "(Tensor grad_output, int[] sizes) -> Tensor",
  implementation = "tocha_op__adaptive_avg_pool_backward", with = {space = 2},
  forms = {},
  grad = {grad_output = "_adaptive_avg_pool2d(grad, sizes(grad_output))"},
  sample = {{2, 2, 2}, {2, 5, 5}},
  doc = "The gradient of _adaptive_avg_pool2d for an input of these sizes.",
}
op "_adaptive_max_pool2d" {
  "(Tensor self, int[2] output_size) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op__adaptive_max_pool", with = {space = 2},
  tied = true,
  forms = {},
  grad = {self = "_max_pool_backward(grad_output, indices, sizes(self), 2)"},
  sample = {{2, 3, 5, 6}, {3, 2}},
  doc = "adaptive_max_pool2d, and the number of each value in the plane it is from.",
}
op "adaptive_avg_pool3d" {
  "(Tensor input, int?[3] output_size) -> Tensor",
  implementation = "tocha_op_adaptive_avg_pool", with = {space = 3},
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 2, 4, 5, 6}, {3, 2, 4}}, {{2, 4, 6, 5}, 1}, {{2, 4, 6, 5}, 2}},
  doc = "Averages of windows that share (N, C, D, H, W) or (C, D, H, W), output_size of them in each dimension of space.",
}
op "_adaptive_avg_pool3d" {
  "(Tensor self, int[] output_size) -> Tensor",
  implementation = "tocha_op__adaptive_avg_pool", with = {space = 3},
  tied = true,
  forms = {},
  grad = {self = "_adaptive_avg_pool3d_backward(grad, sizes(self))"},
  sample = {{1, 2, 4, 5, 6}, {3, 2, 4}},
  doc = "adaptive_avg_pool3d for the last 3 numbers of output_size, other than 1.",
}
op "_adaptive_avg_pool3d_backward" {
  "(Tensor grad_output, int[] sizes) -> Tensor",
  implementation = "tocha_op__adaptive_avg_pool_backward", with = {space = 3},
  forms = {},
  grad = {grad_output = "_adaptive_avg_pool3d(grad, sizes(grad_output))"},
  sample = {{2, 2, 2, 2}, {2, 5, 5, 5}},
  doc = "The gradient of _adaptive_avg_pool3d for an input of these sizes.",
}
op "_adaptive_max_pool3d" {
  "(Tensor self, int[3] output_size) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op__adaptive_max_pool", with = {space = 3},
  tied = true,
  forms = {},
  grad = {self = "_max_pool_backward(grad_output, indices, sizes(self), 3)"},
  sample = {{1, 2, 4, 5, 6}, {3, 2, 4}},
  doc = "adaptive_max_pool3d, and the number of each value in the plane it is from.",
}
op "adaptive_max_pool1d" {
  "(Tensor self, int[1] output_size) -> (Tensor output, Tensor indices)",
  forms = {"torch"}, composite = true,
  sample = {{2, 3, 7}, 3},
  doc = "The greatest of output_size windows that share (N, C, L) or (C, L), and its number there.",
}
op "adaptive_max_pool1d.functional" {
  "(Tensor input, int[1] output_size, bool return_indices=false) -> (Tensor output, Tensor? indices)",
  implementation = "tocha_op_adaptive_max_pool_functional", with = {space = 1, with_indices = false},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 7}, {3}}, {{3, 8}, 1, true}},
  doc = "The greatest of windows that share (N, C, L) or (C, L), output_size of them in each dimension of space; with return_indices also its number in its plane.",
}
op "adaptive_max_pool1d_with_indices.functional" {
  "(Tensor input, int[1] output_size, bool return_indices=false) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op_adaptive_max_pool_functional", with = {space = 1, with_indices = true},
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 7}, {3}},
  doc = "adaptive_max_pool1d, and the number of each value in its plane.",
}
op "adaptive_max_pool2d.functional" {
  "(Tensor input, int?[2] output_size, bool return_indices=false) -> (Tensor output, Tensor? indices)",
  implementation = "tocha_op_adaptive_max_pool_functional", with = {space = 2, with_indices = false},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 5, 6}, {3, 2}}, {{2, 7, 6}, 2, true}},
  doc = "The greatest of windows that share (N, C, H, W) or (C, H, W), output_size of them in each dimension of space; with return_indices also its number in its plane.",
}
op "adaptive_max_pool2d_with_indices.functional" {
  "(Tensor input, int?[2] output_size, bool return_indices=false) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op_adaptive_max_pool_functional", with = {space = 2, with_indices = true},
  forms = {"nn.functional"}, composite = true,
  sample = {{2, 3, 5, 6}, {3, 2}},
  doc = "adaptive_max_pool2d, and the number of each value in its plane.",
}
op "adaptive_max_pool3d.functional" {
  "(Tensor input, int?[3] output_size, bool return_indices=false) -> (Tensor output, Tensor? indices)",
  implementation = "tocha_op_adaptive_max_pool_functional", with = {space = 3, with_indices = false},
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 2, 4, 5, 6}, {3, 2, 4}}, {{2, 4, 6, 5}, 2, true}},
  doc = "The greatest of windows that share (N, C, D, H, W) or (C, D, H, W), output_size of them in each dimension of space; with return_indices also its number in its plane.",
}
op "adaptive_max_pool3d_with_indices.functional" {
  "(Tensor input, int?[3] output_size, bool return_indices=false) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op_adaptive_max_pool_functional", with = {space = 3, with_indices = true},
  forms = {"nn.functional"}, composite = true,
  sample = {{1, 2, 4, 5, 6}, {3, 2, 4}},
  doc = "adaptive_max_pool3d, and the number of each value in its plane.",
}
op "lp_pool1d" {
  "(Tensor input, Scalar norm_type, int[1]?! kernel_size, int[1]? stride, bool ceil_mode=false) -> Tensor",
  implementation = "tocha_op_lp_pool", with = {space = 1},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 7}, 2.0, 2}, {{3, 8, positive = true}, 3.0, 3, 2, true}},
  doc = "The norm of each window of (N, C, L) or (C, L): (sum of input^norm_type)^(1 / norm_type), 0 where the sum is negative.",
}
op "lp_pool2d" {
  "(Tensor input, Scalar norm_type, int[2]?! kernel_size, int[2]? stride, bool ceil_mode=false) -> Tensor",
  implementation = "tocha_op_lp_pool", with = {space = 2},
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3, 5, 6}, 2.0, 2}, {{2, 7, 6, positive = true}, 3.0, 3, 2, true}},
  doc = "The norm of each window of (N, C, H, W) or (C, H, W): (sum of input^norm_type)^(1 / norm_type), 0 where the sum is negative.",
}
op "lp_pool3d" {
  "(Tensor input, Scalar norm_type, int[3]?! kernel_size, int[3]? stride, bool ceil_mode=false) -> Tensor",
  implementation = "tocha_op_lp_pool", with = {space = 3},
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 2, 4, 5, 6}, 2.0, 2}, {{2, 4, 6, 5, positive = true}, 3.0, 3, 2, true}},
  doc = "The norm of each window of (N, C, D, H, W) or (C, D, H, W): (sum of input^norm_type)^(1 / norm_type), 0 where the sum is negative.",
}
op "_max_unpool2d" {
  "(Tensor self, Tensor indices, int[] output_size) -> Tensor",
  implementation = "tocha_op__max_unpool", with = {space = 2},
  forms = {},
  grad = {self = "_values_at(grad, indices, 2)"},
  sample = {{1, 1, 1, 1}, {1, 1, 1, 1, int = 4}, {2, 2}},
  doc = "Zeros of this size with values at the places that indices say.",
}
op "_max_unpool3d" {
  "(Tensor self, Tensor indices, int[] output_size) -> Tensor",
  implementation = "tocha_op__max_unpool", with = {space = 3},
  forms = {},
  grad = {self = "_values_at(grad, indices, 3)"},
  sample = {{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, int = 4}, {2, 2, 2}},
  doc = "Zeros of this size with values at the places that indices say.",
}
op "_values_at" {
  "(Tensor self, Tensor indices, int space) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 3, 4}, {2, 2, 2, int = 12}, 2},
  doc = "The values at the places that indices say, numbers in the last `space` dimensions.",
}
op "max_unpool1d" {
  "(Tensor input, Tensor indices, int[1]?! kernel_size, int[1]? stride, int[1] padding=0, int[]? output_size) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 1, 1}, {1, 1, 1, int = 2}, 2}, {{1, 1, 1}, {1, 1, 1, int = 2}, 3, 2, 0, {4}}},
  doc = "The values of max_pool1d back at the places that its indices say, zeros elsewhere.",
}
op "max_unpool2d" {
  "(Tensor input, Tensor indices, int[2]?! kernel_size, int[2]? stride, int[2] padding=0, int[]? output_size) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 1, 1, 1}, {1, 1, 1, 1, int = 2}, 2}, {{1, 1, 1, 1}, {1, 1, 1, 1, int = 2}, 3, 2, 0, {4, 4}}},
  doc = "The values of max_pool2d back at the places that its indices say, zeros elsewhere.",
}
op "max_unpool3d" {
  "(Tensor input, Tensor indices, int[3]?! kernel_size, int[3]? stride, int[3] padding=0, int[]? output_size) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, int = 2}, 2}, {{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, int = 2}, 3, 2, 0, {4, 4, 4}}},
  doc = "The values of max_pool3d back at the places that its indices say, zeros elsewhere.",
}
op "_fractional_max_pool2d" {
  "(Tensor self, int[] kernel_size, int[] output_size, Tensor random_samples) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op__fractional_max_pool", with = {space = 2},
  tied = true,
  forms = {}, constant = {"random_samples"},
  grad = {self = "_max_pool_backward(grad_output, indices, sizes(self), 2)"},
  sample = {{2, 3, 6, 7}, {2, 2}, {3, 4}, {2, 3, 2, unit = true}},
  doc = "The greatest of windows whose places the samples (N, C, 2) decide, and its number in the plane it is from.",
}
op "fractional_max_pool2d" {
  "(Tensor input, int[2]?! kernel_size, int[2]? output_size, float[2]? output_ratio, bool return_indices=false, Tensor? _random_samples) -> (Tensor output, Tensor? indices)",
  implementation = "tocha_op_fractional_max_pool", with = {space = 2, with_indices = false},
  forms = {"nn.functional"}, composite = true, draws = true, constant = {"_random_samples"},
  samples = {{{2, 3, 6, 7}, 2, {3, 4}}, {{2, 3, 6, 7}, {2, 2}, output_ratio = {0.5, 0.6}, return_indices = true, _random_samples = {2, 3, 2, unit = true}}},
  doc = "The greatest of windows at random places, which share the image nearly evenly (Graham, 2014); with return_indices also its number in the plane it is from.",
}
op "fractional_max_pool2d_with_indices" {
  "(Tensor input, int[2]?! kernel_size, int[2]? output_size, float[2]? output_ratio, bool return_indices=false, Tensor? _random_samples) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op_fractional_max_pool", with = {space = 2, with_indices = true},
  forms = {"nn.functional"}, composite = true, draws = true, constant = {"_random_samples"},
  samples = {{{2, 3, 6, 7}, 2, {3, 4}}, {{2, 3, 6, 7}, {2, 2}, output_ratio = {0.5, 0.6}, return_indices = true, _random_samples = {2, 3, 2, unit = true}}},
  doc = "The greatest of windows at random places, which share the image nearly evenly (Graham, 2014), and its number in the plane it is from.",
}
op "_fractional_max_pool3d" {
  "(Tensor self, int[] kernel_size, int[] output_size, Tensor random_samples) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op__fractional_max_pool", with = {space = 3},
  tied = true,
  forms = {}, constant = {"random_samples"},
  grad = {self = "_max_pool_backward(grad_output, indices, sizes(self), 3)"},
  sample = {{1, 2, 6, 5, 7}, {2, 2, 2}, {3, 2, 4}, {1, 2, 3, unit = true}},
  doc = "The greatest of windows whose places the samples (N, C, 3) decide, and its number in the plane it is from.",
}
op "fractional_max_pool3d" {
  "(Tensor input, int[3]?! kernel_size, int[3]? output_size, float[3]? output_ratio, bool return_indices=false, Tensor? _random_samples) -> (Tensor output, Tensor? indices)",
  implementation = "tocha_op_fractional_max_pool", with = {space = 3, with_indices = false},
  forms = {"nn.functional"}, composite = true, draws = true, constant = {"_random_samples"},
  samples = {{{1, 2, 6, 5, 7}, 2, {3, 2, 4}}, {{1, 2, 6, 5, 7}, {2, 2, 2}, output_ratio = {0.5, 0.6, 0.4}, return_indices = true, _random_samples = {1, 2, 3, unit = true}}},
  doc = "The greatest of windows at random places, which share the image nearly evenly (Graham, 2014); with return_indices also its number in the plane it is from.",
}
op "fractional_max_pool3d_with_indices" {
  "(Tensor input, int[3]?! kernel_size, int[3]? output_size, float[3]? output_ratio, bool return_indices=false, Tensor? _random_samples) -> (Tensor output, Tensor indices)",
  implementation = "tocha_op_fractional_max_pool", with = {space = 3, with_indices = true},
  forms = {"nn.functional"}, composite = true, draws = true, constant = {"_random_samples"},
  samples = {{{1, 2, 6, 5, 7}, 2, {3, 2, 4}}, {{1, 2, 6, 5, 7}, {2, 2, 2}, output_ratio = {0.5, 0.6, 0.4}, return_indices = true, _random_samples = {1, 2, 3, unit = true}}},
  doc = "The greatest of windows at random places, which share the image nearly evenly (Graham, 2014), and its number in the plane it is from.",
}
