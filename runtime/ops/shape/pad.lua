-- pad.lua: padding (the notation: list/read.lua).

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
op "pad" {
  "(Tensor input, int[] pad, string mode='constant', float? value) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 3}, {1, 2}}, {{2, 3, 4}, {-1, 2, 1, 0}, value = 2.5}, {{2, 3, 4}, {3, 1}, mode = "reflect"},
    {{2, 3, 4}, {2, 1, 0, 3}, mode = "replicate"}, {{2, 3, 4}, {2, -1}, mode = "circular"}},
  details = "pad has an even length, at most twice the number of dimensions; negative numbers cut off. reflect needs the dimension to be " ..
    "longer than the padding, and these modes pad only the last one to three dimensions of (N, C, ...). value is for mode constant: 0 " ..
    "unless given.",
  doc = "The tensor with pad[0] more elements before and pad[1] after in its last dimension, pad[2] and pad[3] in the one before, ...: a constant, or by mode reflect, replicate or circular.",
}
op "_pad_circular" {
  "(Tensor self, int[] pad) -> Tensor",
  float8 = true,
  forms = {}, implementation = "tocha_op__pad_circular",
  grad = {self = "_pad_backward(grad, sizes(self), pad, 'circular')"},
  sample = {{1, 2, 3}, {2, 1}},
  doc = "The tensor seen as one period of a repeated one.",
}
op "_pad_backward" {
  "(Tensor grad_output, int[] sizes, int[] pad, string mode) -> Tensor",
  forms = {}, rounds = "steps",
  grad = {grad_output = "pad(grad, pad, mode, nil)"},
  sample = {{1, 2, 6}, {1, 2, 3}, {2, 1}, "reflect"},
  doc = "The gradient of padding: what arrives at copies of an element is added up.",
}
op "reflection_pad1d" {
  "(Tensor self, int[] pad) -> Tensor",
  tied = true,
  forms = {},
  grad = {self = "_pad_backward(grad, sizes(self), pad, 'reflect')"},
  sample = {{1, 2, 3}, {1, 2}},
  doc = "The tensor continued by its mirror image, the edge not repeated, in 1 dimension.",
}
op "replication_pad1d" {
  "(Tensor self, int[] pad) -> Tensor",
  tied = true,
  forms = {},
  grad = {self = "_pad_backward(grad, sizes(self), pad, 'replicate')"},
  sample = {{1, 2, 3}, {1, 2}},
  doc = "The tensor continued by its edge, in 1 dimension.",
}
op "reflection_pad2d" {
  "(Tensor self, int[] pad) -> Tensor",
  tied = true,
  forms = {},
  grad = {self = "_pad_backward(grad, sizes(self), pad, 'reflect')"},
  sample = {{1, 2, 3, 4}, {1, 2, 0, 1}},
  doc = "The tensor continued by its mirror image, the edge not repeated, in 2 dimensions.",
}
op "replication_pad2d" {
  "(Tensor self, int[] pad) -> Tensor",
  tied = true,
  forms = {},
  grad = {self = "_pad_backward(grad, sizes(self), pad, 'replicate')"},
  sample = {{1, 2, 3, 4}, {1, 2, 0, 1}},
  doc = "The tensor continued by its edge, in 2 dimensions.",
}
op "reflection_pad3d" {
  "(Tensor self, int[] pad) -> Tensor",
  tied = true,
  forms = {},
  grad = {self = "_pad_backward(grad, sizes(self), pad, 'reflect')"},
  sample = {{1, 2, 2, 3, 4}, {1, 2, 0, 1, 1, 0}},
  doc = "The tensor continued by its mirror image, the edge not repeated, in 3 dimensions.",
}
op "replication_pad3d" {
  "(Tensor self, int[] pad) -> Tensor",
  tied = true,
  forms = {},
  grad = {self = "_pad_backward(grad, sizes(self), pad, 'replicate')"},
  sample = {{1, 2, 2, 3, 4}, {1, 2, 0, 1, 1, 0}},
  doc = "The tensor continued by its edge, in 3 dimensions.",
}
op "pixel_shuffle" {
  "(Tensor self, int upscale_factor) -> Tensor",
  forms = {"torch", "nn.functional"},
  grad = {self = "pixel_unshuffle(grad, upscale_factor)"},
  sample = {{2, 8, 2, 3}, 2},
  doc = "(..., C r^2, H, W) as (..., C, H r, W r).",
  details = "r is upscale_factor: r * r channels become one of r times the height and width. Networks that enlarge images end with it. nn.PixelShuffle " ..
    "is the module.",
}
op "pixel_unshuffle" {
  "(Tensor self, int downscale_factor) -> Tensor",
  forms = {"torch", "nn.functional"},
  grad = {self = "pixel_shuffle(grad, downscale_factor)"},
  sample = {{2, 2, 4, 6}, 2},
  doc = "(..., C, H r, W r) as (..., C r^2, H, W).",
  details = "r is downscale_factor, which must divide height and width. It undoes pixel_shuffle. nn.PixelUnshuffle is the module.",
}
op "channel_shuffle" {
  "(Tensor self, int groups) -> Tensor",
  aliases = {"native_channel_shuffle"},
  forms = {"torch", "nn.functional"},
  grad = {self = "_channel_shuffle_backward(grad, groups)"},
  sample = {{2, 6, 2, 3}, 2},
  doc = "Channels in groups, taken from each group in turn.",
  details = "self is (N, C, ...), and groups divides C: of the channels 0 1 2 3 in 2 groups come 0 2 1 3. nn.ChannelShuffle is the module.",
}
op "_channel_shuffle_backward" {
  "(Tensor grad_output, int groups) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 6, 2}, 2},
  doc = "The gradient of channel_shuffle: channels back in their places.",
}
