-- scan.lua: cumulative sums, products and extremes (the notation: list/read.lua).

op "cumsum" {
  "(Tensor self, dim dim, *, dtype? dtype) -> Tensor",
  implementation = "tocha_op_cumulate", with = {kind = "TOCHA_SCAN_SUM"},
  inplace = {implementation = "tocha_op_cumulate_inplace"},
  backward = "tocha_cumsum_backward", differentiable = {"self"},
  sample = {{3, 4}, 1},
  details = "Integers become int64; dtype converts first. The sizes stay.",
  doc = "Sums of the elements so far along a dimension.",
}
op "cumprod" {
  "(Tensor self, dim dim, *, dtype? dtype) -> Tensor",
  implementation = "tocha_op_cumulate", with = {kind = "TOCHA_SCAN_PRODUCT"},
  inplace = {implementation = "tocha_op_cumulate_inplace"},
  grad = {self = "_cumprod_backward(grad, self, result, dim)"},
  sample = {{3, 4}, 1},
  details = "Integers become int64; dtype converts first. The sizes stay.",
  doc = "Products of the elements so far along a dimension.",
}
op "cummax" {
  "(Tensor self, dim dim) -> (Tensor values, Tensor indices)",
  implementation = "tocha_op_extreme_so_far", with = {kind = "TOCHA_SCAN_MAX", name = "cummax"},
  grad = {self = "gather_backward(grad_values, sizes(self), dim, indices)"}, keeps = {"self"},
  sample = {{3, 4}, 1},
  doc = "The greatest element so far along a dimension and where it is.",
  details = "Two results of self's sizes: values, and indices along dim (int64). Of equal elements the index is that of the last one.",
}
op "cummin" {
  "(Tensor self, dim dim) -> (Tensor values, Tensor indices)",
  implementation = "tocha_op_extreme_so_far", with = {kind = "TOCHA_SCAN_MIN", name = "cummin"},
  grad = {self = "gather_backward(grad_values, sizes(self), dim, indices)"}, keeps = {"self"},
  sample = {{3, 4}, 1},
  doc = "The smallest element so far along a dimension and where it is.",
  details = "Two results of self's sizes: values, and indices along dim (int64). Of equal elements the index is that of the last one.",
}
op "logcumsumexp" {
  "(Tensor self, dim dim) -> Tensor",
  grad = {self = "_logcumsumexp_backward(grad, self, result, dim)"},
  samples = {{{3, 4}, 1}, {{3, 4}, 0}},
  doc = "Logarithms of the sums of the exponentials of the elements so far along a dimension.",
}
op "_logcumsumexp_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, {3, 4}, {3, 4}, 1},
  doc = "The gradient of logcumsumexp.",
}
op "_cumprod_backward" {
  "(Tensor grad_output, Tensor self, Tensor result, dim dim) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, {3, 4}, {3, 4}, 1},
  doc = "The gradient of cumprod.",
}
op "_exclusive_product" {
  "(Tensor self, dim dim, Tensor? running) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, 1},
  doc = "For each element the product of the others along a dimension; with running the gradient of cumprod, whose own it is.",
}
op "_reverse_cumsum" {
  "(Tensor self, dim dim) -> Tensor",
  forms = {},
  grad = {self = "cumsum(grad, dim)"},
  sample = {{3, 4}, 1},
  doc = "Sums of the elements from here to the end along a dimension.",
}
