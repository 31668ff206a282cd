-- parts.lua: parts of a tensor replaced, tensors cut in parts, made of parts and of combinations (the notation: list/read.lua).

op "select_scatter" {
  "(Tensor self, Tensor src, dim dim, index index) -> Tensor",
  grad = {self = "select_scatter(grad, zeros_like(select(grad, dim, index)), dim, index)", src = "select(grad, dim, index)"},
  samples = {{{3, 4}, {3}, 1, 2}, {{3, 4}, {4}, 0, -1}},
  doc = "A copy of self with src at one position of dimension dim.",
}
op "slice_scatter" {
  "(Tensor self, Tensor src, dim dim=0, int? start, int? stop, int step=1) -> Tensor",
  grad = {self = "slice_scatter(grad, zeros_like(slice(grad, dim, start, stop, step)), dim, start, stop, step)",
    src = "slice(grad, dim, start, stop, step)"},
  samples = {{{5, 3}, {2, 3}, 0, 1, 4, 2}},
  doc = "A copy of self with src at positions start, start + step, ... of dimension dim.",
}
op "diagonal_scatter" {
  "(Tensor self, Tensor src, int offset=0, dim dim1=0, dim dim2=1) -> Tensor",
  grad = {self = "diagonal_scatter(grad, zeros_like(diagonal(grad, offset, dim1, dim2)), offset, dim1, dim2)",
    src = "diagonal(grad, offset, dim1, dim2)"},
  samples = {{{3, 4}, {3}}, {{2, 3, 4}, {2, 3}, 1, 1, 2}},
  doc = "A copy of self with src on the diagonals of the matrices in dim1 and dim2.",
}
op "hsplit" {
  "(Tensor self, int sections) -> Tensor[]",
  composite = true,
  samples = {{{3, 4}, 2}},
  doc = "Equal parts along the columns (of a vector: along dimension 0).",
}
op "hsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  composite = true,
  samples = {{{3, 4}, {1, 3}}},
  doc = "Parts along the columns, cut at the indices.",
}
op "vsplit" {
  "(Tensor self, int sections) -> Tensor[]",
  composite = true,
  samples = {{{4, 3}, 2}},
  doc = "Equal parts along dimension 0.",
}
op "vsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  composite = true,
  samples = {{{4, 3}, {1, 3}}},
  doc = "Parts along dimension 0, cut at the indices.",
}
op "dsplit" {
  "(Tensor self, int sections) -> Tensor[]",
  composite = true,
  samples = {{{2, 3, 4}, 2}},
  doc = "Equal parts along dimension 2.",
}
op "dsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  composite = true,
  samples = {{{2, 3, 4}, {1, 3}}},
  doc = "Parts along dimension 2, cut at the indices.",
}
op "diagflat" {
  "(Tensor self, int offset=0) -> Tensor",
  composite = true,
  samples = {{{2, 2}}, {{3}, 1}},
  doc = "A matrix with self's elements on a diagonal.",
}
op "_block_diag" {
  "(Tensor[] tensors, int[] rows, int[] columns) -> Tensor",
  forms = {}, node = "BlockDiagBackward0",
  backward = "tocha_block_diag_backward", differentiable = {"tensors"},
  sample = {{{2, 3}, {1, 2}}, {2, 1}, {3, 2}},
  doc = "block_diag of matrices, whose sizes are given.",
}
op "block_diag" {
  "(Tensor... tensors) -> Tensor",
  forms = {"torch"}, composite = true, python = true,
  sample = {tensors = {{2, 3}, {2}, {3, 1}}},
  doc = "A matrix with the tensors as blocks along its diagonal.",
}
op "cartesian_prod" {
  "(Tensor... tensors) -> Tensor",
  forms = {"torch"}, composite = true, python = true,
  sample = {tensors = {{3}, {2}}},
  doc = "All combinations of one element of each vector, as rows.",
}
op "combinations" {
  "(Tensor self, int r=2, bool with_replacement=false) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{{4}}, {{3}, 2, true}, {{4}, 3}},
  doc = "All ways to take r elements of a vector, as rows.",
}
