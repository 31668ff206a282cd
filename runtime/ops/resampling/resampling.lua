-- resampling.lua: images in other sizes (the notation: list/read.lua). Each dimension is resampled separately: an
-- element of the result is a weighted sum of a few elements of the input, with weights that depend only on its
-- position. nn.functional.interpolate calls the other operators.

op "interpolate" {
  "(Tensor input, int[3]? size, float[3]? scale_factor, string mode='nearest', bool? align_corners, bool? recompute_scale_factor, bool antialias=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {
    {{1, 2, 3}, 5}, {{1, 2, 3, 4}, {5, 7}}, {{1, 2, 3, 4}, scale_factor = 1.7, mode = "nearest-exact"},
    {{1, 2, 4}, 7, mode = "linear"}, {{1, 2, 3, 4}, {5, 7}, mode = "bilinear"},
    {{1, 2, 3, 4}, scale_factor = 1.7, mode = "bilinear", align_corners = true},
    {{1, 2, 3, 4}, {5, 7}, mode = "bicubic"}, {{1, 1, 2, 3, 4}, {3, 5, 2}, mode = "trilinear"},
    {{1, 2, 3, 4}, {2, 3}, mode = "area"}, {{1, 2, 5, 6}, {3, 4}, mode = "bilinear", antialias = true},
    {{1, 2, 5, 6}, {3, 8}, mode = "bicubic", antialias = true},
    {{1, 2, 3, 4}, scale_factor = 1.7, mode = "bilinear", recompute_scale_factor = true},
    {{1, 2, 3, 4}, scale_factor = {1.7, 2.0}, mode = "bilinear"}, {{1, 1, 2, 3, 4}, scale_factor = {2.0, 1.5, 0.6}}, {{1, 2, 5, 6}, scale_factor = {0.7, 1.3}, mode = "bicubic", antialias = true},
  },
  details = "Either size or scale_factor is given, a number or one for each dimension behind (N, C). linear is for one such dimension, " ..
    "bilinear and bicubic for two, trilinear for three; align_corners is for these four.",
  doc = "The input (N, C, ...) in another size, or as many times as large: by mode nearest, nearest-exact, linear, bilinear, bicubic, trilinear or area.",
}
op "upsample" {
  "(Tensor input, int[3]? size, float[3]? scale_factor, string mode='nearest', bool? align_corners) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  sample = {{1, 2, 3}, 5},
  doc = "interpolate under its former name.",
}
op "upsample_nearest" {
  "(Tensor input, int[3]? size, float[3]? scale_factor) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 2, 3}, 5}, {{1, 2, 3, 4}, scale_factor = 1.7}},
  doc = "interpolate by the nearest element, under a former name.",
}
op "upsample_bilinear" {
  "(Tensor input, int[2]? size, float[2]? scale_factor) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{1, 2, 3, 4}, {5, 7}}, {{1, 2, 3, 4}, scale_factor = {1.7, 2.0}}},
  doc = "interpolate by lines between elements with aligned corners, under a former name.",
}
op "_upsample_backward" {
  "(Tensor grad_output, int[] sizes, bool align_corners, float[3]? scale, string mode) -> Tensor",
  forms = {},
  grad = {grad_output = "_upsample(grad, sizes(grad_output), align_corners, scale, mode)"},
  sample = {{1, 2, 5}, {1, 2, 3}, false, {}, "linear"},
  doc = "The gradient of resampling: what arrives, shared out by the same weights.",
}
op "_upsample" {
  "(Tensor self, int[] sizes, bool align_corners, float[3]? scale, string mode) -> Tensor",
  forms = {}, composite = true,
  sample = {{1, 2, 3}, {1, 2, 5}, false, {}, "linear"},
  doc = "Resampled to these sizes: the gradient of _upsample_backward.",
}
op "upsample_nearest1d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'nearest')"},
  sample = {{1, 2, 3}, {5}},
  doc = "Resampled in 1 dimension by the nearest element, rounded down.",
}
op "_upsample_nearest_exact1d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'nearest-exact')"},
  sample = {{1, 2, 3}, {5}},
  doc = "Resampled in 1 dimension by the nearest element.",
}
op "upsample_nearest2d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'nearest')"},
  sample = {{1, 2, 3, 4}, {5, 3}},
  doc = "Resampled in 2 dimensions by the nearest element, rounded down.",
}
op "_upsample_nearest_exact2d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'nearest-exact')"},
  sample = {{1, 2, 3, 4}, {5, 3}},
  doc = "Resampled in 2 dimensions by the nearest element.",
}
op "upsample_nearest3d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'nearest')"},
  sample = {{1, 1, 2, 3, 2}, {3, 4, 3}},
  doc = "Resampled in 3 dimensions by the nearest element, rounded down.",
}
op "_upsample_nearest_exact3d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'nearest-exact')"},
  sample = {{1, 1, 2, 3, 2}, {3, 4, 3}},
  doc = "Resampled in 3 dimensions by the nearest element.",
}
op "upsample_linear1d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'linear')"},
  sample = {{1, 2, 3}, {5}},
  doc = "Resampled in 1 dimension by the line between two elements.",
}
op "upsample_bilinear2d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'linear')"},
  sample = {{1, 2, 3, 4}, {5, 3}},
  doc = "Resampled in 2 dimensions by lines between elements.",
}
op "upsample_trilinear3d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'linear')"},
  sample = {{1, 1, 2, 3, 2}, {3, 4, 3}},
  doc = "Resampled in 3 dimensions by lines between elements.",
}
op "upsample_bicubic2d" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'cubic')"},
  sample = {{1, 2, 3, 4}, {5, 3}},
  doc = "Resampled in 2 dimensions by cubic polynomials through elements.",
}
op "_upsample_bilinear2d_aa" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'linear-aa')"},
  sample = {{1, 2, 3, 4}, {5, 3}},
  doc = "Resampled in 2 dimensions by a triangle as wide as what an element covers.",
}
op "_upsample_bicubic2d_aa" {
  "(Tensor self, int[] output_size, bool align_corners=false, float[3]? scale) -> Tensor",
  forms = {},
  grad = {self = "_upsample_backward(grad, sizes(self), align_corners, scale, 'cubic-aa')"},
  sample = {{1, 2, 3, 4}, {5, 3}},
  doc = "Resampled in 2 dimensions by a cubic as wide as what an element covers.",
}
