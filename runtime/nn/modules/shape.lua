-- shape.lua: padding, upsampling, shuffling (the notation: nn/modules.lua).

-- mode: F.pad's mode, or nil for ConstantPad, which has the value as an argument.
local function pads(name, op, value, shown, doc)
  for n = 1, 3 do
    module(name .. n .. "d") {
      ("(int[N] padding%s)"):gsub("N", 2 * n):format(value), op = op:gsub("N", n), as = {pad = "padding"}, space = n, lists = 2 * n,
      forward = name == "CircularPad" and "circular_pad" or nil, repr = shown, doc = doc,
    }
  end
end
pads("ConstantPad", "constant_pad_nd", ", Scalar value", "padding={padding}, value={value}", "(N, C, ...) with so many elements of the value added at each end: padding is one number, or two for each dimension, the last one first.")
pads("ZeroPad", "constant_pad_nd", "", "{padding}", "(N, C, ...) with so many zeros added at each end: padding is one number, or two for each dimension, the last one first.")
pads("ReflectionPad", "reflection_padNd", "", "{padding}", "(N, C, ...) with so many elements added at each end, the input mirrored at its outermost element: padding is one number, or two for each dimension, the last one first.")
pads("ReplicationPad", "replication_padNd", "", "{padding}", "(N, C, ...) with so many elements added at each end, copies of the outermost one: padding is one number, or two for each dimension, the last one first.")
pads("CircularPad", "_pad_circular", "", "{padding}", "(N, C, ...) with so many elements added at each end, taken from the other end: padding is one number, or two for each dimension, the last one first.")

module "Upsample" {
  "(int[3]? size, float[3]? scale_factor, string mode='nearest', bool? align_corners, bool? recompute_scale_factor)", op = "interpolate",
  repr = "{size!None}{scale_factor!None}, mode={mode}",
  doc = "(N, C, ...) resized to size, or by scale_factor, by interpolation: mode nearest, linear, bilinear, bicubic or trilinear.",
}
module "UpsamplingNearest2d" {
  "(int[2]? size, float[2]? scale_factor, *, string mode='nearest')", op = "interpolate", space = 2,
  repr = "{size!None}{scale_factor!None}, mode={mode}", doc = "(N, C, ...) resized to size, or by scale_factor, by repeating pixels.",
}
module "UpsamplingBilinear2d" {
  "(int[2]? size, float[2]? scale_factor, *, string mode='bilinear', bool align_corners=true)", op = "interpolate", space = 2,
  repr = "{size!None}{scale_factor!None}, mode={mode}",
  doc = "(N, C, ...) resized to size, or by scale_factor, linearly along rows and columns; the corners of input and output are aligned.",
}
module "PixelShuffle" {"(int upscale_factor)", op = "pixel_shuffle", repr = "upscale_factor={upscale_factor}",
  doc = "(*, C * r^2, H, W) to (*, C, H * r, W * r)."}
module "PixelUnshuffle" {"(int downscale_factor)", op = "pixel_unshuffle", repr = "downscale_factor={downscale_factor}",
  doc = "(*, C, H * r, W * r) to (*, C * r^2, H, W)."}
module "ChannelShuffle" {"(int groups)", op = "channel_shuffle", repr = "groups={groups}",
  doc = "The channels of (N, C, ...) in another order: one from each group in turn."}
