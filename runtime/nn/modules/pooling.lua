-- pooling.lua: pooling (the notation: nn/modules.lua).

local function each(name, body)
  for n = 1, 3 do
    local entry = body(n)
    entry[1], entry.space = entry[1]:gsub("N", n), n
    module((name:gsub("N", n))) (entry)
  end
end

each("MaxPoolNd", function(n)
  return {
    "(int[N] kernel_size, int[N]? stride, int[N] padding=0, int[N] dilation=1, bool return_indices=false, bool ceil_mode=false)",
    op = ("max_pool%dd.functional"):format(n), defaults = {stride = "kernel_size"},
    repr = "kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}",
    details = "A size of space L becomes (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, rounded up with ceil_mode. The batch dimension N may " ..
      "be missing. padding is at most half of kernel_size.",
    doc = "The maximum of each window of (N, C, ...), which move by stride (default: kernel_size); with return_indices also where it was in its plane.",
  }
end)

each("MaxUnpoolNd", function(n)
  return {
    "(int[N] kernel_size, int[N]? stride, int[N] padding=0)", op = ("max_unpool%dd"):format(n), inputs = "input, indices",
    script = "unpooling", lists = n, defaults = {stride = "kernel_size"},
    repr = "kernel_size={kernel_size}, stride={stride}, padding={padding}",
    doc = "The maxima that a MaxPool with return_indices gave, (N, C, ...), back in their places, and zeros elsewhere.",
  }
end)

each("AvgPoolNd", function(n)
  return {
    "(int[N] kernel_size, int[N]? stride, int[N] padding=0, bool ceil_mode=false, bool count_include_pad=true" ..
      (n == 1 and ")" or ", int? divisor_override)"),
    op = ("avg_pool%dd"):format(n), lists = n == 1 and 1 or nil, defaults = {stride = "kernel_size"},
    repr = "kernel_size={kernel_size}, stride={stride}, padding={padding}",
    details = "A size of space L becomes (L + 2 padding - kernel_size) // stride + 1, rounded up with ceil_mode. The batch dimension N may be missing. " ..
      "padding is at most half of kernel_size.",
    doc = "The mean of each window of (N, C, ...), which move by stride (default: kernel_size).",
  }
end)

each("LPPoolNd", function(n)
  return {
    "(Scalar norm_type, int[N] kernel_size, int[N]? stride, bool ceil_mode=false)", op = ("lp_pool%dd"):format(n),
    repr = "norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode}",
    doc = "(the sum of x^norm_type)^(1 / norm_type) over each window of (N, C, ...), which move by stride (default: kernel_size).",
  }
end)

for n = 2, 3 do
  module(("FractionalMaxPool%dd"):format(n)) {
    ("(int[N] kernel_size, int[N]? output_size, float[N]? output_ratio, bool return_indices=false, Tensor? _random_samples)"):gsub("N", n),
    op = ("fractional_max_pool%dd"):format(n), space = n, lists = n, buffers = {"_random_samples"}, init = "fractional_pool",
    doc = "The maximum of windows of (N, C, ...) whose places are drawn at random, so many that the output has output_size, or output_ratio times the size of the input.",
  }
end

each("AdaptiveMaxPoolNd", function(n)
  return {
    (n == 1 and "(int[1]" or "(int?[N]") .. " output_size, bool return_indices=false)", op = ("adaptive_max_pool%dd.functional"):format(n),
    repr = "output_size={output_size}",
    doc = "The maximum of windows that share (N, C, ...) evenly, output_size of them in each dimension" .. (n > 1 and "; None keeps the size of the input." or "."),
  }
end)

each("AdaptiveAvgPoolNd", function(n)
  return {
    (n == 1 and "(int[1]" or "(int?[N]") .. " output_size)", op = ("adaptive_avg_pool%dd"):format(n), repr = "output_size={output_size}",
    details = "With output_size = 1 it is the mean of each channel, whatever the size of the images. The batch dimension N may be missing.",
    doc = "The mean of windows that share (N, C, ...) evenly, output_size of them in each dimension" .. (n > 1 and "; None keeps the size of the input." or "."),
  }
end)
