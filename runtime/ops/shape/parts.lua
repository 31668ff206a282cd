-- parts.lua: replacing, splitting and combining parts of tensors (the notation: list/read.lua).

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
  implementation = "tocha_op_split_along", with = {dim = 1, least = 1, name = "hsplit"},
  composite = true,
  samples = {{{3, 4}, 2}},
  doc = "Equal parts along the columns (of a vector: along dimension 0).",
}
op "hsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  implementation = "tocha_op_split_along_indices", with = {dim = 1, least = 1, name = "hsplit"},
  composite = true,
  samples = {{{3, 4}, {1, 3}}},
  doc = "Parts along the columns, cut at the indices.",
}
op "vsplit" {
  "(Tensor self, int sections) -> Tensor[]",
  implementation = "tocha_op_split_along", with = {dim = 0, least = 2, name = "vsplit"},
  composite = true,
  samples = {{{4, 3}, 2}},
  doc = "Equal parts along dimension 0.",
}
op "vsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  implementation = "tocha_op_split_along_indices", with = {dim = 0, least = 2, name = "vsplit"},
  composite = true,
  samples = {{{4, 3}, {1, 3}}},
  doc = "Parts along dimension 0, cut at the indices.",
}
op "dsplit" {
  "(Tensor self, int sections) -> Tensor[]",
  implementation = "tocha_op_split_along", with = {dim = 2, least = 3, name = "dsplit"},
  composite = true,
  samples = {{{2, 3, 4}, 2}},
  doc = "Equal parts along dimension 2.",
}
op "dsplit.indices" {
  "(Tensor self, int[] indices) -> Tensor[]",
  implementation = "tocha_op_split_along_indices", with = {dim = 2, least = 3, name = "dsplit"},
  composite = true,
  samples = {{{2, 3, 4}, {1, 3}}},
  doc = "Parts along dimension 2, cut at the indices.",
}
op "diagflat" {
  "(Tensor self, int offset=0) -> Tensor",
  composite = "diag_embed(flatten(self), offset, 0, 1)",
  samples = {{{2, 2}}, {{3}, 1}},
  doc = "A matrix with self's elements on a diagonal.",
  details = "self is flattened first; N elements make (N, N), or more where offset moves the diagonal up (positive) or down.",
}
op "_block_diag" {
  "(Tensor[] tensors, int[] rows, int[] columns) -> Tensor",
  forms = {},
  backward = "tocha_block_diag_backward", differentiable = {"tensors"},
  sample = {{{2, 3}, {1, 2}}, {2, 1}, {3, 2}},
  doc = "block_diag of matrices, whose sizes are given.",
}
op "block_diag" {
  "(Tensor...! tensors) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{2, 3}, {2}, {3, 1}}},
  doc = "A matrix with the tensors as blocks along its diagonal.",
  details = "Elsewhere it is 0. Vectors count as rows (1, N), numbers as (1, 1); the dtypes are promoted.",
}
op "cartesian_prod" {
  "(Tensor...! tensors) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3}, {2}}},
  doc = "All combinations of one element of each vector, as rows.",
  details = "Of vectors of N and M elements comes (N M, 2); the last vector's elements change fastest.",
}
op "combinations" {
  "(Tensor self, int r=2, bool with_replacement=false) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{{4}}, {{3}, 2, true}, {{4}, 3}},
  doc = "All ways to take r elements of a vector, as rows.",
  details = "r is 2 if none is given; the result is (count, r), in the order of the vector. With with_replacement = true an element may be taken more " ..
    "than once.",
}
op "as_strided_scatter" {
  "(Tensor self, Tensor src, size[] size, int[] stride, int? storage_offset) -> Tensor",
  backward = "tocha_as_strided_scatter_rule", differentiable = {"self", "src"},
  samples = {{{3, 4}, {2, 2}, {2, 2}, {4, 1}, 1}},
  doc = "A copy of self with src in the part of its memory that as_strided would show.",
}
op "narrow_copy" {
  "(Tensor self, dim dim, int start, int length) -> Tensor",
  grad = {self = "_narrow_backward(grad, sizes(self), dim, start)"},
  sample = {{5, 3}, 0, 1, 2},
  doc = "narrow in memory of its own.",
}
op "_narrow_backward" {
  "(Tensor grad, int[] sizes, dim dim, int start) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 3}, {5, 3}, 0, -3},
  doc = "The gradient of narrow_copy for an input of these sizes.",
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
op "resize_" {
  "(Tensor self, size... size, *, memory_format? memory_format) -> Tensor",
  forms = {"method"}, writes_self = true, nondifferentiable = true, leaf = true,
  sample = {{3, 4}, size = {2, 3}},
  doc = "Another size over the same memory, or over more.",
}
op "resize_as_" {
  "(Tensor self, Tensor the_template, *, memory_format? memory_format) -> Tensor",
  implementation = "resize_(self, sizes(the_template), memory_format)",
  forms = {"method", "torch"}, writes_self = true, nondifferentiable = true, leaf = true,
  sample = {{3, 4}, {2, 3}},
  doc = "The size of another tensor over the same memory, or over more.",
}
op "real" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true, attribute = true,
  doc = "The real part: self, where it is no complex tensor.",
}
op "isreal" {
  "(Tensor self) -> Tensor",
  nondifferentiable = true,
  doc = "Where the imaginary part is zero: everywhere, where self is no complex tensor.",
}
op "conj" {
  "(Tensor self) -> Tensor",
  composite = true, implementation = "tocha_op_real",
  doc = "The complex conjugate: self, where it is no complex tensor.",
}
op "resolve_conj" {
  "(Tensor self) -> Tensor",
  composite = true, implementation = "tocha_op_real",
  doc = "self, whose elements lie in memory as they are.",
}
op "resolve_neg" {
  "(Tensor self) -> Tensor",
  composite = true, implementation = "tocha_op_real",
  doc = "self, whose elements lie in memory as they are.",
}
