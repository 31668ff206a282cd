-- backward.lua: the derivatives of reductions, as operators (the notation: list/read.lua).

op "_unreduce" {
  "(Tensor self, size[] sizes, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {1}},
  doc = "A result of a reduction spread over the sizes it came from.",
}
op "_mean_backward" {
  "(Tensor grad_output, size[] sizes, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {1}},
  doc = "The gradient of mean.",
}
op "_extreme_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim[]? dim, bool equal_nan=false) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {3}, {1}},
  doc = "The gradient of amax and its like: in equal parts to the elements that equal the result; NaN equals NaN if equal_nan.",
}
op "_value_selecting_backward" {
  "(Tensor grad_output, dim dim, Tensor index, size[] sizes) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 2}, 1, {3, 2, int = 4}, {3, 4}},
  doc = "Zeros, to which the gradients of chosen elements are added.",
}
op "_prod_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {3}, {1}},
  doc = "The gradient of prod: the products of the others.",
}
op "_var_backward" {
  "(Tensor grad_output, Tensor self, dim[]? dim, Scalar? correction) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {1}},
  doc = "The gradient of var.",
}
op "_std_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim[]? dim, Scalar? correction) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {3, positive = true}, {1}},
  doc = "The gradient of std.",
}
op "_norm_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, float ord, dim[]? dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3}, {3, 4}, {3, positive = true}, 2.0, {1}},
  doc = "The gradient of a vector norm.",
}
