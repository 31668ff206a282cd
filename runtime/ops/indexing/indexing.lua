-- indexing.lua: indexing, gather and scatter, where (the notation: list/read.lua).

op "index" {
  "(Tensor self, Tensor?[] indices) -> Tensor",
  float8 = true,
  forms = {},
  backward = "tocha_index_rule", differentiable = {"self"}, saves = {"indices"},
  any_device = true,
  sample = {{3, 4}, indices = {{2, int = 3}, {2, int = 4}}},
  doc = "The elements that the index tensors point to; masks stand for their coordinates.",
}
op "index_backward" {
  "(Tensor grad_output, int[] sizes, Tensor?[] indices) -> Tensor",
  forms = {},
  backward = "tocha_index_backward_rule", differentiable = {"grad_output"}, saves = {"indices"},
  any_device = true,
  sample = {{2}, {3, 4}, indices = {{2, int = 3}, {2, int = 4}}},
  doc = "grad_output added to zeros where index reads.",
}
op "index_put_" {
  "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=false) -> Tensor",
  forms = {"method", "torch"}, writes_self = true,
  backward = "tocha_index_put_rule", differentiable = {"self", "values"}, saves = {"indices"},
  any_device = true,
  sample = {{3, 4}, {{2, int = 3}, {2, int = 4}}, {2}},
  outplace = {sample = {{3, 4}, indices = {{2, int = 3}, {2, int = 4}}, values = {2}, accumulate = true}},
  doc = "values to where the index tensors point, or added there.",
}
op "index_select" {
  "(Tensor self, dim dim, Tensor index) -> Tensor",
  grad = {self = "index_select_backward(grad, sizes(self), dim, index)"},
  sample = {{4, 3}, 0, {5, int = 4}},
  details = "index is one-dimensional, int32 or int64, and counts from 0; negative indices are an error. The size of dim becomes that of " ..
    "index; the elements are copied.",
  doc = "The positions index of dimension dim.",
}
op "index_select_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, Tensor index) -> Tensor",
  forms = {},
  grad = {grad_output = "index_select(grad, dim, index)"},
  sample = {{5, 3}, {4, 3}, 0, {5, int = 4}},
  doc = "grad_output added to zeros where index_select reads.",
}
op "index_add_" {
  "(Tensor self, dim dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor",
  forms = {"method"}, writes_self = true, one_device = true,
  grad = {self = "grad", source = "scaled(index_select(grad, dim, index), alpha)"}, keeps = {source = "source"},
  sample = {{4, 3}, 0, {2, int = 4}, {2, 3}},
  outplace = true,
  details = "index is one-dimensional and as long as dimension dim of source; the other sizes of source are those of self. An index that " ..
    "occurs several times adds several times. An index out of range is an error.",
  doc = "alpha * source added at the positions index of dimension dim.",
}
op "index_copy_" {
  "(Tensor self, dim dim, Tensor index, Tensor source) -> Tensor",
  forms = {"method"}, writes_self = true, one_device = true, memory = "apart", memory_first = true,
  grad = {self = "index_fill(grad, dim, index, 0)", source = "index_select(grad, dim, index)"}, keeps = {source = "source"},
  sample = {{4, 3}, 0, {1, int = 4}, {1, 3}},
  outplace = true,
  doc = "source to the positions index of dimension dim.",
}
op "index_fill_.tensor" {
  "(Tensor self, dim dim, Tensor index, Tensor value) -> Tensor",
  forms = {"method"}, writes_self = true, one_device = true,
  implementation = "tocha_op_index_fill__tensor",
  backward = "tocha_index_fill_tensor_rule", differentiable = {"self", "value"}, saves = {"index"},
  sample = {{4, 3}, 0, {2, int = 4}, {}},
  outplace = true,
  doc = "The value of a 0-dim tensor to the positions index of dimension dim.",
}
op "index_fill_" {
  "(Tensor self, dim dim, Tensor index, Scalar value) -> Tensor",
  forms = {"method"}, writes_self = true, one_device = true,
  grad = {self = "index_fill(grad, dim, index, 0)"},
  sample = {{4, 3}, 0, {2, int = 4}, 1.5},
  outplace = true,
  doc = "value to the positions index of dimension dim.",
}
op "take" {
  "(Tensor self, Tensor index) -> Tensor",
  grad = {self = "take_backward(grad, sizes(self), index)"}, keeps = {"self"},
  sample = {{3, 4}, {5, int = 12}},
  doc = "The elements at positions of self seen in one dimension.",
  details = "index is int64 and counts through self row by row; the result has index's sizes. Negative indices count from the end. For positions along " ..
    "one dimension use index_select or gather.",
}
op "take_backward" {
  "(Tensor grad_output, int[] sizes, Tensor index) -> Tensor",
  forms = {},
  grad = {grad_output = "take(grad, index)"},
  sample = {{5}, {3, 4}, {5, int = 12}},
  doc = "grad_output added to zeros where take reads.",
}
op "gather" {
  "(Tensor self, dim dim, Tensor index, *, bool sparse_grad=false) -> Tensor",
  grad = {self = "gather_backward(grad, sizes(self), dim, index)"}, keeps = {"self"},
  sample = {{3, 4}, 1, {3, 2, int = 4}},
  details = "index is int64, has as many dimensions as self, and is nowhere larger, except along dim. The result has the sizes of index. An " ..
    "index out of range is an error. One value a row, as in a loss: x:gather(1, labels:unsqueeze(1)).",
  doc = "result[i, j] = self[i, index[i, j]] for dim 1, and so on.",
}
op "gather_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, Tensor index) -> Tensor",
  forms = {},
  grad = {grad_output = "gather(grad, dim, index)"},
  sample = {{3, 2}, {3, 4}, 1, {3, 2, int = 4}},
  doc = "grad_output added to zeros where gather reads.",
}
op "chosen_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, Tensor index) -> Tensor",
  forms = {}, implementation = "tocha_op_gather_backward",
  grad = {grad_output = "gather(grad, dim, index)"},
  sample = {{3, 2}, {3, 4}, 1, {3, 2, int = 4}},
  doc = "gather_backward of elements that were chosen along a dimension (max, sort); another name in the graph.",
}
op "scatter_" {
  "(Tensor self, dim dim, Tensor index, Tensor src) -> Tensor",
  implementation = "tocha_op_scatter_", with = {adds = false, one = false},
  forms = {"method"}, writes_self = true,
  grad = {self = "scatter_value(grad, dim, index, 0)", src = "gather(grad, dim, index)"},
  sample = {{3, 4}, 1, {3, 1, int = 4}, {3, 1}},
  outplace = true,
  details = "The opposite of gather. index is int64, has as many dimensions as self, and is nowhere larger, except along dim; src, of self's " ..
    "dtype, is at least as large as index. Where an index occurs several times, any one of the values stays. An index out of range is " ..
    "an error.",
  doc = "self[i, index[i, j]] = src[i, j] for dim 1, and so on.",
}
op "scatter_.value" {
  "(Tensor self, dim dim, Tensor index, Scalar value) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "scatter_value(grad, dim, index, 0)"},
  sample = {{3, 4}, 1, {3, 1, int = 4}, 2.0},
  outplace = true,
  doc = "self[i, index[i, j]] = value for dim 1, and so on.",
}
op "scatter_.reduce" {
  "(Tensor self, dim dim, Tensor index, Tensor src, *, string reduce) -> Tensor",
  implementation = "tocha_op_scatter_reduced", with = {one = false},
  forms = {"method"}, writes_self = true, nogradcheck = true,
  backward = "tocha_grad_not_implemented", differentiable = {"self", "src"},
  outplace = true,
  samples = {{{3, 4}, 1, {3, 2, int = 4}, {3, 2}, reduce = "add"}, {{3, 4}, 1, {3, 2, int = 4}, {3, 2}, reduce = "multiply"}},
  doc = "self[i, index[i, j]] += src[i, j] for dim 1, or *=, and so on.",
}
op "scatter_.value_reduce" {
  "(Tensor self, dim dim, Tensor index, Scalar value, *, string reduce) -> Tensor",
  forms = {"method"}, writes_self = true, nogradcheck = true,
  backward = "tocha_grad_not_implemented", differentiable = {"self"},
  outplace = true,
  samples = {{{3, 4}, 1, {3, 2, int = 4}, 2.0, reduce = "add"}, {{3, 4}, 1, {3, 2, int = 4}, 2.0, reduce = "multiply"}},
  doc = "self[i, index[i, j]] += value for dim 1, or *=, and so on.",
}
op "scatter_add_" {
  "(Tensor self, dim dim, Tensor index, Tensor src) -> Tensor",
  implementation = "tocha_op_scatter_", with = {adds = true, one = false},
  forms = {"method"}, writes_self = true,
  grad = {self = "grad", src = "gather(grad, dim, index)"},
  sample = {{3, 4}, 1, {3, 2, int = 4}, {3, 2}},
  outplace = true,
  details = "Sizes are as for scatter; where an index occurs several times, all values are added. src has self's dtype.",
  doc = "self[i, index[i, j]] += src[i, j] for dim 1, and so on.",
}
op "scatter_reduce.two" {
  "(Tensor self, dim dim, Tensor index, Tensor src, string reduce, *, bool include_self=true) -> Tensor",
  inplace = {implementation = "tocha_op_scatter_reduce_inplace"},
  backward = "tocha_scatter_reduce_rule", differentiable = {"self", "src"}, saves = {"self", "index", "src", "result"},
  samples = {{{3, 4}, 0, {3, 4, int = 3}, {3, 4}, "sum"}, {{3, 4}, 1, {3, 2, int = 4}, {3, 4}, "prod"}, {{3, 4}, 1, {3, 3, int = 4}, {3, 4}, "mean", include_self = false},
    {{3, 4}, 1, {3, 3, int = 4}, {3, 4}, "amax"}, {{3, 4}, 0, {2, 4, int = 3}, {3, 4}, "amin", include_self = false}},
  doc = "self with the sums, products, means or extremes (reduce) of the elements of src that index sends to each of its own along dim.",
}
op "_without_derivative" {
  "(Tensor self, string reason) -> Tensor",
  float8 = true,
  forms = {},
  backward = "tocha_without_derivative_rule", differentiable = {"self"},
  sample = {{3, 4}, "no second derivative"},
  doc = "self, whose backward fails for that reason: a gradient that is right, but has none itself.",
}
op "index_reduce" {
  "(Tensor self, dim dim, Tensor index, Tensor source, string reduce, *, bool include_self=true) -> Tensor",
  inplace = true, memory = "apart",
  backward = "tocha_index_reduce_rule", differentiable = {"self", "source"}, saves = {"self", "index", "source", "result"},
  samples = {{{3, 4}, 0, {4, int = 3}, {4, 4}, "prod"}, {{3, 4}, 1, {2, int = 4}, {3, 2}, "mean"}, {{3, 4}, 1, {2, int = 4}, {3, 2}, "mean", include_self = false},
    {{3, 4}, 0, {2, int = 3}, {2, 4}, "amax"}, {{3, 4}, 0, {2, int = 3}, {2, 4}, "amin", include_self = false}},
  doc = "self with the products, means or extremes (reduce) of the slices of source that index sends to each of its own along dim.",
}
op "put_" {
  "(Tensor self, Tensor index, Tensor source, bool accumulate=false) -> Tensor",
  forms = {"method"}, writes_self = true,
  backward = "tocha_put_rule", differentiable = {"self", "source"}, saves = {"index"},
  samples = {{{3, 4}, {3, int = 12}, {3}}, {{3, 4}, {2, 2, int = 12}, {4}, true}},
  outplace = true,
  doc = "The elements of source to positions of self seen in one dimension, or added there.",
}
op "take_along_dim" {
  "(Tensor self, Tensor indices, dim? dim) -> Tensor",
  composite = true,
  samples = {{{3, 4}, {3, 1, int = 4}, 1}, {{3, 4}, {3, 2, int = 3, offset = -5}, 1}},
  details = "indices are int64 and broadcast with self in all dimensions but dim; the results of argsort and argmax{keepdim = true} fit.",
  doc = "gather with broadcasting; without dim, both seen in one dimension.",
}
op "one_hot" {
  "(Tensor self, int num_classes=-1) -> Tensor",
  forms = {"nn.functional"},
  sample = {{4, int = 3}, 5},
  details = "self is int64 and not negative. Without num_classes there are as many as the largest label needs; a label that num_classes does " ..
    "not reach is an error. The result is int64; losses usually want it as :float().",
  doc = "A new last dimension with 1 at the class, 0 elsewhere.",
}
op "where" {
  "(Tensor condition, Operand self, Operand other) -> Tensor",
  forms = {"torch"},
  grad = {self = "where(condition, grad, 0)", other = "where(condition, 0, grad)"},
  sample = {{3, 4, bool = true}, {3, 4}, {4}},
  details = "The three broadcast, and the two values are promoted to a common dtype. condition is bool. torch.where(condition) alone gives " ..
    "the indices where it holds, a tensor for each dimension.",
  doc = "self where condition holds, other elsewhere.",
}
op "where.self" {
  "(Tensor self, Tensor condition, Operand other) -> Tensor",
  forms = {"method"}, composite = "where(condition, self, other)",
  sample = {{3, 4}, {3, 4, bool = true}, 1.5},
  doc = "self where condition holds, other elsewhere.",
}
op "where.condition" {
  "(Tensor condition) -> Tensor[]",
  implementation = "nonzero_tuple(condition, true)",
  forms = {"torch"},
  sample = {{3, 4, bool = true}},
  doc = "nonzero(condition, as_tuple=True).",
}
op "masked_fill_.tensor" {
  "(Tensor self, Tensor mask, Tensor value) -> Tensor",
  forms = {"method"}, writes_self = true,
  backward = "tocha_masked_fill_tensor_rule", differentiable = {"self", "value"}, saves = {"mask"},
  sample = {{3, 4}, {3, 4, bool = true}, {}},
  doc = "The value of a 0-dim tensor where mask holds.",
}
op "masked_fill_" {
  "(Tensor self, Tensor mask, Scalar value) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "masked_fill(grad, mask, 0)"},
  sample = {{3, 4}, {3, 4, bool = true}, 1.5},
  doc = "value where mask holds.",
}
op "masked_fill" {
  "(Tensor self, Tensor mask, Operand value) -> Tensor",
  composite = true,
  samples = {{{3, 4}, {4, bool = true}, 1.5}, {{3, 4}, {4, bool = true}, {}}},
  details = "mask is bool and broadcasts with self. The value must fit self's dtype.",
  doc = "self with value (a number or 0-dim tensor) where mask holds.",
}
op "masked_scatter_" {
  "(Tensor self, Tensor mask, Tensor source) -> Tensor",
  forms = {"method"}, writes_self = true,
  grad = {self = "masked_fill(grad, mask, 0)", source = "_masked_scatter_backward(grad, mask, sizes(source))"},
  sample = {{3, 4}, {3, 4, bool = true}, {12}},
  doc = "The elements of source, in order, to where mask holds.",
}
op "masked_scatter" {
  "(Tensor self, Tensor mask, Tensor source) -> Tensor",
  composite = true,
  samples = {{{3, 4}, {4, bool = true}, {12}}, {{3, 4}, {3, 4, bool = true}, {3, 5}}},
  doc = "A copy of self: the elements of source, in order, to where mask holds.",
}
op "_masked_scatter_backward" {
  "(Tensor grad_output, Tensor mask, int[] sizes) -> Tensor",
  forms = {}, composite = true,
  sample = {{3, 4}, {3, 4, bool = true}, {12}},
  doc = "The gradient of masked_scatter's source.",
}
op "masked_select" {
  "(Tensor self, Tensor mask) -> Tensor",
  backward = "tocha_masked_select_rule", differentiable = {"self"}, saves = {"mask"}, keeps = {"self"},
  sample = {{3, 4}, {3, 4, bool = true}},
  details = "mask is bool and broadcasts with self. The result is a copy, and its length depends on the data; x[mask] does the same.",
  doc = "The elements where mask holds, in one dimension.",
}
op "nonzero" {
  "(Tensor self) -> Tensor",
  sample = {{3, 4, bool = true}},
  details = "The result is int64; its number of rows depends on the data. With as_tuple = true it is a table of index tensors, which fit into " ..
    "a subscript: x[{i, j}].",
  doc = "The coordinates of the elements that are not zero, (count, dimensions).",
}
op "nonzero.tuple" {
  "(Tensor self, *, bool as_tuple) -> Tensor[]",
  sample = {{3, 4, bool = true}, as_tuple = true},
  doc = "With as_tuple, one tensor of coordinates per dimension.",
}
op "nonzero.into" {
  "(Tensor self, *, bool as_tuple) -> Tensor",
  forms = {"torch"},
  sample = {{3, 4, bool = true}, as_tuple = false},
  doc = "nonzero with out= and without as_tuple.",
}
op "nonzero_static" {
  "(Tensor self, *, int size, int fill_value=-1) -> Tensor",
  nondifferentiable = true,
  samples = {{{3, 4, bool = true}, size = 3}, {{3, 4, bool = true}, size = 14, fill_value = 7}},
  doc = "The first size rows of nonzero, with fill_value in those that are missing.",
}
op "argwhere" {
  "(Tensor self) -> Tensor",
  implementation = "tocha_op_nonzero",
  sample = {{3, 4, bool = true}},
  doc = "nonzero under NumPy's name.",
}
op "bincount" {
  "(Tensor self, Tensor? weights, int minlength=0) -> Tensor",
  sample = {{6, int = 4}},
  details = "self has one dimension and holds integers that are not negative; the result has one element more than the largest, or " ..
    "minlength. With weights, of self's length, sums take the place of counts.",
  doc = "How often each non-negative integer occurs, or the sum of weights there.",
}
