-- split.lua: splitting a tensor into parts that are not views; hsplit, vsplit, dsplit (the notation: list/read.lua).

op "hsplit" {
  "(Tensor self, int sections) -> Tensor[]",
  implementation = "tocha_op_split_along", with = {dim = 1, min_ndim = 1, name = "hsplit"},
  composite = true,
  samples = {{{3, 4}, 2}},
  doc = "Equal parts along the columns (of a vector: along dimension 0).",
}
op "hsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  implementation = "tocha_op_split_along_indices", with = {dim = 1, min_ndim = 1, name = "hsplit"},
  composite = true,
  samples = {{{3, 4}, {1, 3}}},
  doc = "Parts along the columns, cut at the indices.",
}
op "vsplit" {
  "(Tensor self, int sections) -> Tensor[]",
  implementation = "tocha_op_split_along", with = {dim = 0, min_ndim = 2, name = "vsplit"},
  composite = true,
  samples = {{{4, 3}, 2}},
  doc = "Equal parts along dimension 0.",
}
op "vsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  implementation = "tocha_op_split_along_indices", with = {dim = 0, min_ndim = 2, name = "vsplit"},
  composite = true,
  samples = {{{4, 3}, {1, 3}}},
  doc = "Parts along dimension 0, cut at the indices.",
}
op "dsplit" {
  "(Tensor self, int sections) -> Tensor[]",
  implementation = "tocha_op_split_along", with = {dim = 2, min_ndim = 3, name = "dsplit"},
  composite = true,
  samples = {{{2, 3, 4}, 2}},
  doc = "Equal parts along dimension 2.",
}
op "dsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  implementation = "tocha_op_split_along_indices", with = {dim = 2, min_ndim = 3, name = "dsplit"},
  composite = true,
  samples = {{{2, 3, 4}, {1, 3}}},
  doc = "Parts along dimension 2, cut at the indices.",
}
op "unsafe_split" {
  "(Tensor self, int split_size, dim dim=0) -> Tensor[]",
  implementation = "split(self, split_size, dim)",
  backward = "tocha_split_backward", differentiable = {"self"},
  sample = {{5, 2}, 2},
  doc = "split, whose pieces may be written in place.",
}
op "unsafe_split_with_sizes" {
  "(Tensor self, int[] split_sizes, dim dim=0) -> Tensor[]",
  implementation = "split_with_sizes(self, split_sizes, dim)",
  backward = "tocha_split_backward", differentiable = {"self"},
  sample = {{5, 2}, {2, 3}},
  doc = "split_with_sizes, whose pieces may be written in place.",
}
op "unsafe_chunk" {
  "(Tensor self, int chunks, dim dim=0) -> Tensor[]",
  implementation = "tocha_op_chunk", with = {safe = false},
  composite = true,
  sample = {{5, 2}, 2},
  doc = "chunk, whose pieces may be written in place.",
}
