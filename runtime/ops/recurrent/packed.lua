-- packed.lua: sequences of different lengths, padded and packed (the notation: list/read.lua).

op "_pack_padded_sequence" {
  "(Tensor input, Tensor lengths, bool batch_first) -> (Tensor data, Tensor batch_sizes)",
  forms = {"torch"}, composite = true, any_device = true,
  samples = {
    {{3, 2, 2}, {2, int = 1, offset = 2, dtype = "int64", cpu = true}, false},
    {{2, 2, 3}, {2, int = 1, offset = 2, dtype = "int64", cpu = true}, true},
  },
  doc = "The rows of each step that are no padding, and how many there are; lengths in decreasing order.",
}
op "_pad_packed_sequence" {
  "(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int total_length) -> (Tensor output, Tensor lengths)",
  forms = {"torch"}, composite = true, any_device = true,
  samples = {
    {{4, 2}, {2, int = 1, offset = 2, dtype = "int64", cpu = true}, false, 0.0, -1},
    {{4, 2}, {2, int = 1, offset = 2, dtype = "int64", cpu = true}, true, 1.5, 3},
  },
  doc = "The sequences side by side again, padded, and their lengths.",
}
