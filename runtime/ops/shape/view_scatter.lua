-- view_scatter.lua: copies of tensors with a part replaced, and narrow_copy (the notation: list/read.lua).

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
