-- convolution.lua: convolutions, transposed convolutions, and the windows that they consist of (the notation:
-- nn/modules.lua).

local parameters = {
  "bias (out_channels) if bias: uniform_(-bound, bound) where bound = 1 / sqrt(fan_in(weight))",
}
local check = {
  "groups > 0: groups must be a positive integer",
  "in_channels % groups == 0: in_channels must be divisible by groups",
  "out_channels % groups == 0: out_channels must be divisible by groups",
}
local shown = "{in_channels}, {out_channels}, kernel_size={kernel_size}, stride={stride}"
local more_shown = "{groups!1}{bias!True}{padding_mode!zeros}"

for n = 1, 3 do
  module("Conv" .. n .. "d") {
    ("(int in_channels, int out_channels, int[N] kernel_size, int[N] stride=1, padding[N] padding=0, int[N] dilation=1, int groups=1, " ..
      "bool bias=true, string padding_mode='zeros', device? device, dtype? dtype)"):gsub("N", n),
    op = "conv" .. n .. "d", forward = "conv", space = n, lists = n, check = check, init = "conv",
    parameters = {"weight (out_channels, in_channels // groups, *kernel_size): kaiming_uniform_(a=sqrt(5))", parameters[1]},
    repr = shown .. "{padding!0}{dilation!1}" .. more_shown,
    details = "A size of space L becomes (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1; padding may be 'same' or 'valid', too. kernel_size, " ..
      "stride, padding and dilation are a number, or a table with one for each dimension of space. groups = in_channels makes it depthwise.",
    doc = "Convolution of (N, C, ...): each element of the output is the sum of a window times weight, (out_channels, in_channels / groups, kernel_size), plus bias.",
  }
end

for n = 1, 3 do
  module("ConvTranspose" .. n .. "d") {
    ("(int in_channels, int out_channels, int[N] kernel_size, int[N] stride=1, int[N] padding=0, int[N] output_padding=0, int groups=1, " ..
      "bool bias=true, int[N] dilation=1, string padding_mode='zeros', device? device, dtype? dtype)"):gsub("N", n),
    op = "conv_transpose" .. n .. "d", inputs = "input", script = "transposed", space = n, lists = n, check = check, init = "conv_transpose",
    parameters = {"weight (in_channels, out_channels // groups, *kernel_size): kaiming_uniform_(a=sqrt(5))", parameters[1]},
    repr = shown .. "{padding!0}{dilation!1}{output_padding!0}" .. more_shown,
    details = "A size of space L becomes (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1: images grow. The weight begins with " ..
      "the input's channels. Sizes are a number, or a table with one for each dimension of space.",
    doc = "Transposed convolution of (N, C, ...): each element of the input adds its multiple of weight, (in_channels, out_channels / groups, kernel_size), to a window of the output, which is larger where stride is more than 1.",
  }
end

module "Unfold" {
  "(int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1)", op = "unfold.functional", space = 2,
  repr = "kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}",
  doc = "The windows of an image as columns: (N, C, H, W) to (N, C * kernel, number of windows).",
}
module "Fold" {
  "(int[2] output_size, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1)", op = "fold", space = 2,
  repr = "output_size={output_size}, kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride}",
  doc = "Columns (N, C * kernel, number of windows) back to images (N, C, H, W): the sum of the windows where they overlap.",
}
