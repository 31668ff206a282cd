-- combine.lua: combining tensors: block matrices, products, combinations (the notation: list/read.lua).

op "diagflat" {
  "(Tensor self, int offset=0) -> Tensor",
  composite = "diag_embed(flatten(self), offset, 0, 1)",
  samples = {{{2, 2}}, {{3}, 1}},
  doc = "A matrix with self's elements on a diagonal.",
  details = "self is flattened first; N elements make (N, N), or more where offset moves the diagonal up (positive) or down.",
}
op "_block_diag" {
  "(Tensor[] tensors, int[] rows, int[] columns) -> Tensor",
  float8 = true,
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
