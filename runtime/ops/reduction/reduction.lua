-- reduction.lua: reductions (the notation: list/read.lua).

op "sum_to_size" {
  "(Tensor self, size... size) -> Tensor",
  forms = {"method"}, composite = true,
  sample = {{3, 4}, size = {1, 4}},
  doc = "The sum over the dimensions that broadcasting from size would add or repeat.",
}
op "sum" {
  "(Tensor self, *, dtype? dtype) -> Tensor",
  reduce = {sum = "x"},
  grad = {self = "_unreduce(grad, sizes(self))"},
  samples = {{{3, 4}}, {{2, 3, 4}}},
  details = "Without dim, a 0-dim tensor of all elements. dim is one dimension or a table of them; they disappear, or stay with size 1 with " ..
    "keepdim. dtype converts before the sum. The sum of nothing is 0.",
  doc = "The sum of all elements; bool and integers sum to int64.",
}
op "sum.dim_IntList" {
  "(Tensor self, dim[]?! dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  reduce = "sum",
  grad = {self = "_unreduce(grad, sizes(self), dim)"},
  samples = {{{3, 4}, 1}, {{2, 3, 4}, {0, -1}, keepdim = true}},
  doc = "Sums over the given dimensions.",
}
op "mean" {
  "(Tensor self, *, dtype? dtype) -> Tensor",
  reduce = {sum = "x", finish = "s / n", result = "floating"},
  grad = {self = "_mean_backward(grad, sizes(self))"},
  details = "Without dim, a 0-dim tensor of all elements. dim is one dimension or a table of them; they disappear, or stay with size 1 with " ..
    "keepdim. Integers are an error: use x:float() or dtype. The mean of nothing is nan.",
  doc = "The mean of all elements.",
}
op "mean.dim" {
  "(Tensor self, dim[]?! dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  reduce = "mean",
  grad = {self = "_mean_backward(grad, sizes(self), dim)"},
  samples = {{{3, 4}, 1}, {{2, 3, 4}, {0, -1}, keepdim = true}},
  doc = "Means over the given dimensions.",
}
reduction "nansum" {sum = "x == x ? x : 0"}
op "nansum" {
  "(Tensor self, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  grad = {self = "_unreduce(grad, sizes(self), dim) * eq(self, self)"},
  samples = {{{3, 4}}, {{3, 4}, 1}},
  doc = "The sum, NaN counting as zero.",
  details = "Without dim, all elements; with dim, one dimension or several, which disappear unless keepdim is true. Integers and bool sum to int64.",
}
op "nanmean" {
  "(Tensor self, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  composite = true,
  samples = {{{3, 4}}, {{3, 4}, 1}},
  doc = "The mean of the elements that are not NaN.",
  details = "Without dim, all elements; with dim, one dimension or several, which disappear unless keepdim is true. Where every element is NaN, so is " ..
    "the mean. Floating point alone.",
}
op "prod" {
  "(Tensor self, *, dtype? dtype) -> Tensor",
  reduce = {start = "1", join = "MUL(s, t)", result = "widened"},
  grad = {self = "_prod_backward(grad, self, result)"},
  details = "dim is one dimension; it disappears, or stays with size 1 with keepdim. The product of nothing is 1.",
  doc = "The product of all elements; bool and integers multiply in int64.",
}
op "prod.dim_int" {
  "(Tensor self, dim dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  reduce = "prod",
  grad = {self = "_prod_backward(grad, self, result, dim)"},
  samples = {{{3, 4}, 1}, {{3, 4}, 0, keepdim = true}},
  doc = "Products over a dimension.",
}
op "max" {
  "(Tensor self) -> Tensor",
  reduce = "amax",
  grad = {self = "_extreme_backward(grad, self, result, equal_nan=true)"},
  details = "Without dim, a 0-dim tensor. With dim, values and indices: local values, indices = x:max(1), both with one dimension less, or " ..
    "size 1 there with keepdim. An empty tensor is an error. See amax for several dimensions, argmax for the indices alone.",
  doc = "The greatest element; NaN where there is one.",
}
op "max.other" {
  "(Tensor self, Tensor other) -> Tensor",
  composite = "maximum(self, other)",
  sample = {{3, 4}, {3, 4}},
  doc = "The greater of two elements (as maximum).",
}
op "max.dim" {
  "(Tensor self, dim dim, bool keepdim=false) -> (Tensor values, Tensor indices)",
  implementation = "tocha_op_extreme_along", with = {max = true},
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  samples = {{{3, 4}, 1}, {{2, 3, 4}, 1, keepdim = true}},
  doc = "The greatest elements along a dimension and where they first are.",
}
op "min" {
  "(Tensor self) -> Tensor",
  reduce = "amin",
  grad = {self = "_extreme_backward(grad, self, result, equal_nan=true)"},
  details = "Without dim, a 0-dim tensor. With dim, values and indices: local values, indices = x:min(1), both with one dimension less, or " ..
    "size 1 there with keepdim. An empty tensor is an error. See amin for several dimensions, argmin for the indices alone.",
  doc = "The smallest element; NaN where there is one.",
}
op "min.other" {
  "(Tensor self, Tensor other) -> Tensor",
  composite = "minimum(self, other)",
  sample = {{3, 4}, {3, 4}},
  doc = "The smaller of two elements (as minimum).",
}
op "min.dim" {
  "(Tensor self, dim dim, bool keepdim=false) -> (Tensor values, Tensor indices)",
  implementation = "tocha_op_extreme_along", with = {max = false},
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  samples = {{{3, 4}, 1}, {{2, 3, 4}, 1, keepdim = true}},
  doc = "The smallest elements along a dimension and where they first are.",
}
op "amax" {
  "(Tensor self, dim[]? dim, bool keepdim=false) -> Tensor",
  reduce = {start = "LOWEST", join = "s >= t || s != s ? s : t", again = true, empty = "refused"},
  grad = {self = "_extreme_backward(grad, self, result, dim)"},
  samples = {{{3, 4}}, {{2, 3, 4}, {0, 2}}},
  details = "dim is one dimension or a table of them; they disappear, or stay with size 1 with keepdim. The gradient is shared among equal " ..
    "elements. An empty dimension is an error.",
  doc = "The greatest elements over the given dimensions.",
}
op "amin" {
  "(Tensor self, dim[]? dim, bool keepdim=false) -> Tensor",
  reduce = {start = "HIGHEST", join = "s <= t || s != s ? s : t", again = true, empty = "refused"},
  grad = {self = "_extreme_backward(grad, self, result, dim)"},
  samples = {{{3, 4}}, {{2, 3, 4}, {0, 2}}},
  details = "dim is one dimension or a table of them; they disappear, or stay with size 1 with keepdim. The gradient is shared among equal " ..
    "elements. An empty dimension is an error.",
  doc = "The smallest elements over the given dimensions.",
}
op "aminmax" {
  "(Tensor self, *, dim? dim, bool keepdim=false) -> (Tensor min, Tensor max)",
  backward = "tocha_aminmax_backward", differentiable = {"self"}, saves = {"self", "min", "max"},
  samples = {{{3, 4}}, {{3, 4}, dim = 1}},
  doc = "The smallest and the greatest elements.",
  details = "Two results: local least, most = torch.aminmax(x). Without dim, of all elements; with dim, along it. Both are NaN where an element is.",
}
op "argmax" {
  "(Tensor self, dim? dim, bool keepdim=false) -> Tensor",
  implementation = "tocha_op_position_of_extreme", with = {max = true},
  samples = {{{3, 4}}, {{3, 4}, 1}},
  details = "The result is int64. Without dim, it is a place in the flattened tensor; with dim, that dimension disappears, or stays with size " ..
    "1 with keepdim. For scores (N, C), x:argmax(1) is the class of each row.",
  doc = "Where the greatest element first is: from 0, over all elements or along a dimension.",
}
op "argmin" {
  "(Tensor self, dim? dim, bool keepdim=false) -> Tensor",
  implementation = "tocha_op_position_of_extreme", with = {max = false},
  samples = {{{3, 4}}, {{3, 4}, 1}},
  details = "The result is int64. Without dim, it is a place in the flattened tensor; with dim, that dimension disappears, or stays with size " ..
    "1 with keepdim.",
  doc = "Where the smallest element first is: from 0, over all elements or along a dimension.",
}
op "all" {
  "(Tensor self, dim[]? dim, bool keepdim=false) -> Tensor",
  reduce = {sum = "x != 0", counts = true, finish = "s == n", result = "truth"},
  samples = {{{3, 4, bool = true}}, {{3, 4, bool = true}, 1}},
  details = "The result is a bool tensor, which Lua takes for true in any case: write x:all():item() in conditions. All of nothing is true.",
  doc = "Whether no element is zero.",
}
op "any" {
  "(Tensor self, dim[]? dim, bool keepdim=false) -> Tensor",
  reduce = {sum = "x != 0", counts = true, finish = "s > 0", result = "truth"},
  samples = {{{3, 4, bool = true}}, {{3, 4, bool = true}, 1}},
  details = "The result is a bool tensor, which Lua takes for true in any case: write x:any():item() in conditions. Any of nothing is false.",
  doc = "Whether some element is not zero.",
}
op "count_nonzero" {
  "(Tensor self, dim[]? dim) -> Tensor",
  reduce = {sum = "x != 0", counts = true, result = "int64"},
  samples = {{{3, 4, int = 2}}, {{3, 4, int = 2}, 1}},
  details = "The result is int64. dim is one dimension or a table of them; without it, all elements are counted.",
  doc = "How many elements are not zero.",
}
op "var.correction" {
  "(Tensor self, dim[]? dim, *, Scalar? correction, bool keepdim=false) -> Tensor",
  grad = {self = "_var_backward(grad, self, dim, correction)"},
  samples = {{{3, 4}}, {{3, 4}, 1, correction = 0}},
  doc = "The variance, sum of squared deviations over (n - correction); correction is 1 by default.",
}
op "var.dim" {
  "(Tensor self, dim[]?! dim, bool unbiased=true, bool keepdim=false) -> Tensor",
  composite = "var_correction(self, dim, unbiased, keepdim)",
  sample = {{3, 4}, 1, false},
  doc = "The variance over dimensions; unbiased divides by n - 1.",
}
op "var" {
  "(Tensor self, bool unbiased=true) -> Tensor",
  composite = "var_correction(self, correction=unbiased)",
  sample = {{3, 4}, false},
  details = "dim is one dimension or a table of them; they disappear, or stay with size 1 with keepdim. correction = 1 (unbiased) divides by " ..
    "n - 1, 0 by n. Floating point alone. Of one element it is nan.",
  doc = "The variance of all elements; unbiased divides by n - 1.",
}
op "std.correction" {
  "(Tensor self, dim[]? dim, *, Scalar? correction, bool keepdim=false) -> Tensor",
  grad = {self = "_std_backward(grad, self, result, dim, correction)"},
  samples = {{{3, 4}}, {{3, 4}, 1, correction = 0}},
  doc = "The standard deviation, the root of the variance.",
}
op "std.dim" {
  "(Tensor self, dim[]?! dim, bool unbiased=true, bool keepdim=false) -> Tensor",
  composite = "std_correction(self, dim, unbiased, keepdim)",
  sample = {{3, 4}, 1, false},
  doc = "The standard deviation over dimensions; unbiased divides by n - 1.",
}
op "std" {
  "(Tensor self, bool unbiased=true) -> Tensor",
  composite = "std_correction(self, correction=unbiased)",
  sample = {{3, 4}, false},
  details = "dim is one dimension or a table of them; they disappear, or stay with size 1 with keepdim. correction = 1 (unbiased) divides by " ..
    "n - 1, 0 by n. Floating point alone. Of one element it is nan.",
  doc = "The standard deviation of all elements; unbiased divides by n - 1.",
}
op "var_mean.correction" {
  "(Tensor self, dim[]? dim, *, Scalar? correction, bool keepdim=false) -> (Tensor value, Tensor mean)",
  forms = {"torch"},
  backward = "tocha_var_mean_backward", differentiable = {"self"}, saves = {"self"},
  samples = {{{3, 4}}, {{3, 4}, 1, correction = 0}},
  doc = "The variance and the mean.",
}
op "var_mean.dim" {
  "(Tensor self, dim[]?! dim, bool unbiased=true, bool keepdim=false) -> (Tensor value, Tensor mean)",
  forms = {"torch"}, composite = "var_mean_correction(self, dim, unbiased, keepdim)",
  sample = {{3, 4}, 1, false},
  doc = "The variance and the mean over dimensions; unbiased divides by n - 1.",
}
op "var_mean" {
  "(Tensor self, bool unbiased=true) -> (Tensor value, Tensor mean)",
  forms = {"torch"}, composite = "var_mean_correction(self, correction=unbiased)",
  sample = {{3, 4}, false},
  doc = "The variance and the mean of all elements; unbiased divides by n - 1.",
}
op "std_mean.correction" {
  "(Tensor self, dim[]? dim, *, Scalar? correction, bool keepdim=false) -> (Tensor value, Tensor mean)",
  forms = {"torch"},
  backward = "tocha_std_mean_backward", differentiable = {"self"}, saves = {"self", "value"},
  samples = {{{3, 4}}, {{3, 4}, 1, correction = 0}},
  doc = "The standard deviation and the mean.",
}
op "std_mean.dim" {
  "(Tensor self, dim[]?! dim, bool unbiased=true, bool keepdim=false) -> (Tensor value, Tensor mean)",
  forms = {"torch"}, composite = "std_mean_correction(self, dim, unbiased, keepdim)",
  sample = {{3, 4}, 1, false},
  doc = "The standard deviation and the mean over dimensions; unbiased divides by n - 1.",
}
op "std_mean" {
  "(Tensor self, bool unbiased=true) -> (Tensor value, Tensor mean)",
  forms = {"torch"}, composite = "std_mean_correction(self, correction=unbiased)",
  sample = {{3, 4}, false},
  doc = "The standard deviation and the mean of all elements; unbiased divides by n - 1.",
}
reduction "norm_1" {sum = "ABS(x)", types = "floats", cpu = "norm"}
reduction "norm_2" {sum = "x * x", finish = "SQRT(s)", types = "floats", cpu = "norm"}
reduction "norm_p" {"(Tensor self, float ord)", sum = "POW(ABS(x), (T)ord)", finish = "POW(s, (T)(1 / ord))", types = "floats",
  cpu = "norm"}
reduction "norm_inf" {start = "0", map = "ABS(x)", join = "s >= t || s != s ? s : t", again = true, types = "floats"}
reduction "norm_minus_inf" {start = "HIGHEST", map = "ABS(x)", join = "s <= t || s != s ? s : t", again = true, types = "floats"}
op "vector_norm" {
  "(Tensor self, float ord=2, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  forms = {"linalg"},
  implementation = "tocha_op_linalg_vector_norm",
  backward = "tocha_vector_norm_backward", differentiable = {"self"}, saves = {"self", "result"},
  samples = {{{3, 4}}, {{3, 4}, 1, {1}}, {{3, 4}, 3, {0}, keepdim = true}},
  details = "dim is one dimension or a table of them; without it, all elements are one vector. Floating point alone; dtype converts first.",
  doc = "(sum |x|^ord)^(1/ord); ord may be infinite (the greatest |x|) or 0 (how many are not zero).",
}
op "_norm_dims" {
  "(Tensor self, float ord, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  forms = {},
  implementation = "tocha_op_linalg_vector_norm",
  backward = "tocha_vector_norm_backward", differentiable = {"self"}, saves = {"self", "result"},
  sample = {{3, 4}, 2, {1}},
  doc = "vector_norm as operators made of operators ask for it.",
}
op "norm" {
  "(Tensor self, Scalar? p=2, dim[]? dim, bool keepdim=false, dtype? dtype) -> Tensor",
  composite = true,
  samples = {{{3, 4}}, {{3, 4}, 1, 1}},
  details = "It is kept for old programs; torch.linalg.vector_norm and matrix_norm say which norm is meant. p = 'nuc' needs matrices.",
  doc = "The vector norm of all elements, or over dimensions.",
}
op "norm.string" {
  "(Tensor self, string p, dim[]? dim, bool keepdim=false, dtype? dtype) -> Tensor",
  composite = true,
  sample = {{3, 4}, "fro"},
  doc = "The norm by name: 'fro' is the root of the sum of squares.",
}
op "norm.linalg" {
  "(Tensor self, Scalar? ord, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{3, 4}}, {{3, 4}, 1}},
  doc = "A vector norm; of a matrix with ord 1, inf (and negatives) the operator's norm.",
}
op "norm.linalg_str" {
  "(Tensor self, string ord, dim[]? dim, bool keepdim=false, *, dtype? dtype) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{3, 4}, "fro"}, {{2, 3, 4}, "nuc", {1, 2}}},
  doc = "A norm of matrices by name: 'fro' or 'nuc' (the sum of the singular values).",
}
op "logsumexp" {
  "(Tensor self, dim[] dim, bool keepdim=false) -> Tensor",
  aliases = {"special.logsumexp"},
  grad = {self = "_unreduce(grad, sizes(self), dim) * exp(self - _unreduce(result, sizes(self), dim))"},
  samples = {{{3, 4}, 1}, {{3, 4}, {0, 1}, keepdim = true}},
  details = "dim is one dimension or a table of them. Integers become floating point.",
  doc = "log(sum(exp(x))), without overflow.",
}
