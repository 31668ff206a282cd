-- sorting.lua: sorting, ranks, unique and histograms (the notation: list/read.lua).

op "sort" {
  "(Tensor self, dim dim=-1, bool descending=false) -> (Tensor values, Tensor indices)",
  implementation = "sort_stable(self, nil, dim, descending)",
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  samples = {{{3, 4}}, {{3, 4}, 0, true}},
  details = "Two tensors of self's sizes: local values, indices = x:sort(). Equal elements may change places unless stable = true.",
  doc = "The elements in order along a dimension and where they were; NaN is the greatest.",
}
op "sort.stable" {
  "(Tensor self, *, bool?! stable, dim dim=-1, bool descending=false) -> (Tensor values, Tensor indices)",
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  sample = {{3, 4}, stable = true},
  doc = "As sort; equal elements keep their order.",
}
op "argsort" {
  "(Tensor self, dim dim=-1, bool descending=false) -> Tensor",
  samples = {{{3, 4}}, {{3, 4}, 0, true}},
  details = "The result is int64: x:take_along_dim(x:argsort(), -1) is sorted. Equal elements may change places unless stable = true.",
  doc = "The indices that would sort along a dimension.",
}
op "argsort.stable" {
  "(Tensor self, *, bool stable, dim dim=-1, bool descending=false) -> Tensor",
  sample = {{3, 4}, stable = true},
  doc = "As argsort; equal elements keep their order.",
}
op "topk" {
  "(Tensor self, int k, dim dim=-1, bool largest=true, bool sorted=true) -> (Tensor values, Tensor indices)",
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  samples = {{{3, 4}, 2}, {{3, 4}, 1, 0, false}},
  details = "Two tensors of self's sizes, with k along dim: local values, indices = x:topk(5). k may not exceed the size of dim.",
  doc = "The k greatest (or smallest) elements along a dimension, in order, and where they are.",
}
op "kthvalue" {
  "(Tensor self, int k, dim dim=-1, bool keepdim=false) -> (Tensor values, Tensor indices)",
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  sample = {{3, 4}, 2},
  details = "Two results with one dimension less, or size 1 there with keepdim. k lies between 1 and the size of dim.",
  doc = "The k-th smallest element along a dimension (k from 1) and where it is.",
}
op "median" {
  "(Tensor self) -> Tensor",
  implementation = "tocha_op_select_one", with = {task = "TOCHA_SELECT_MEDIAN"},
  grad = {self = "_extreme_backward(grad, self, result, equal_nan=true)"},
  sample = {{3, 5}},
  details = "Without dim, a 0-dim tensor; with it, values and indices. Of an even number of elements it is the lower of the middle two: for " ..
    "their mean see quantile(0.5). NaN wherever there is one. bool is an error.",
  doc = "The middle element; the lower of two.",
}
op "median.dim" {
  "(Tensor self, dim dim, bool keepdim=false) -> (Tensor values, Tensor indices)",
  implementation = "tocha_op_select_along", with = {name = "median", task = "TOCHA_SELECT_MEDIAN"},
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  sample = {{3, 4}, 1},
  doc = "The middle elements along a dimension and where they are.",
}
op "nanmedian" {
  "(Tensor self) -> Tensor",
  implementation = "tocha_op_select_one", with = {task = "TOCHA_SELECT_NANMEDIAN"},
  grad = {self = "_extreme_backward(grad, self, result, equal_nan=true)"},
  sample = {{3, 5}},
  doc = "The middle of the elements that are not NaN.",
}
op "nanmedian.dim" {
  "(Tensor self, dim dim, bool keepdim=false) -> (Tensor values, Tensor indices)",
  implementation = "tocha_op_select_along", with = {name = "median", task = "TOCHA_SELECT_NANMEDIAN"},
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  sample = {{3, 4}, 1},
  doc = "The middle elements that are not NaN along a dimension.",
}
op "mode" {
  "(Tensor self, dim dim=-1, bool keepdim=false) -> (Tensor values, Tensor indices)",
  implementation = "tocha_op_select_along", with = {name = "mode", task = "TOCHA_SELECT_MODE"},
  grad = {self = "_value_selecting_backward(grad_values, dim, indices, sizes(self))"},
  details = "Two results with one dimension less, or size 1 there with keepdim.",
  doc = "The most frequent elements along a dimension (the smallest of several) and the last place of each.",
}
op "_unique2" {
  "(Tensor self, bool sorted=true, bool return_inverse=false, bool return_counts=false) -> (Tensor output, Tensor inverse, Tensor counts)",
  forms = {"torch"}, nogradcheck = true,
  backward = "tocha_grad_no_derivative", differentiable = {"self"},
  sample = {{3, 4, int = 5}},
  doc = "The different elements in order, where each element of self is among them, and how often each occurs.",
}
op "unique_dim" {
  "(Tensor self, int dim, bool sorted=true, bool return_inverse=false, bool return_counts=false) -> (Tensor output, Tensor inverse, Tensor counts)",
  forms = {"_VF"}, nogradcheck = true, host = true,
  backward = "tocha_grad_no_derivative", differentiable = {"self"},
  samples = {{{4, 2, int = 2}, 0}, {{2, 5, 2, int = 2}, 1}},
  doc = "The different slices along a dimension in order, which of them each slice is, and how often each occurs.",
}
op "unique_consecutive" {
  "(Tensor self, bool return_inverse=false, bool return_counts=false, int? dim) -> (Tensor output, Tensor inverse, Tensor counts)",
  forms = {"_VF"}, nogradcheck = true,
  backward = "tocha_grad_no_derivative", differentiable = {"self"},
  samples = {{{12, int = 2}}, {{5, 2, int = 2}, dim = 0}, {{2, 5, int = 2}, dim = -1}},
  doc = "The elements, or the slices along a dimension, that differ from the one before; for each which of them it is, and how often each is repeated.",
}
op "histc" {
  "(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor",
  nondifferentiable = true,
  sample = {{20}, 5, -1.0, 1.0},
  details = "Floating point alone; the result has `bins` elements of self's dtype. Elements outside, and NaN, are not counted. " ..
    "torch.histogram returns the edges, too.",
  doc = "How many elements fall into each of equal bins between min and max (those of the data where equal).",
}
op "msort" {
  "(Tensor self) -> Tensor",
  composite = "sort(self, 0)",
  doc = "The elements in order along dimension 0.",
  details = "It is x:sort(0) without the indices: the columns of a matrix are sorted each for itself.",
}
op "quantile" {
  "(Tensor self, Tensor q, dim? dim, bool keepdim=false, *, string interpolation='linear') -> Tensor",
  implementation = "tocha_op_quantile", with = {skips = false},
  one_device = true,
  composite = true,
  samples = {{{3, 4}, {3, unit = true}}, {{3, 4}, {2, unit = true}, 1, true, interpolation = "midpoint"}, {{3, 4}, {unit = true}, 0, interpolation = "nearest"}},
  details = "self is float32 or float64, and q, of the same dtype, lies between 0 and 1. With several q, the result has a first dimension for " ..
    "them. Between two elements interpolation decides: linear, lower, higher, midpoint or nearest.",
  doc = "The values below which the fractions q of the elements lie, of all or along a dimension.",
}
op "quantile.scalar" {
  "(Tensor self, float q, dim? dim, bool keepdim=false, *, string interpolation='linear') -> Tensor",
  implementation = "tocha_op_quantile_scalar", with = {skips = false},
  composite = true,
  samples = {{{3, 4}, 0.3}, {{3, 4}, 0.3, 1, interpolation = "higher"}, {{3, 4}, 0.3, 1, interpolation = "lower"}},
  doc = "The value below which the fraction q of the elements lies, of all or along a dimension.",
}
op "nanquantile" {
  "(Tensor self, Tensor q, dim? dim, bool keepdim=false, *, string interpolation='linear') -> Tensor",
  implementation = "tocha_op_quantile", with = {skips = true},
  one_device = true,
  composite = true,
  samples = {{{3, 4}, {3, unit = true}}, {{3, 4}, {2, unit = true}, 1, true}},
  doc = "As quantile, of the elements that are not NaN.",
}
op "nanquantile.scalar" {
  "(Tensor self, float q, dim? dim, bool keepdim=false, *, string interpolation='linear') -> Tensor",
  implementation = "tocha_op_quantile_scalar", with = {skips = true},
  composite = true,
  samples = {{{3, 4}, 0.3}, {{3, 4}, 0.3, 1}},
  doc = "As quantile, of the elements that are not NaN.",
}
op "searchsorted" {
  "(Tensor sorted_sequence, Tensor self, *, bool out_int32=false, bool right=false, string? side, Tensor? sorter) -> Tensor",
  forms = {"torch"}, nondifferentiable = true,
  samples = {{{5, sorted = true}, {3, 4}}, {{5, sorted = true}, {4}, right = true, out_int32 = true}, {{2, 5, sorted = true}, {2, 3}, side = "right"}},
  details = "Each row of sorted_sequence must be in order. The result is int64, of self's sizes: the number of elements less than each " ..
    "(right: or equal to it). self has the same leading sizes, unless sorted_sequence has one dimension.",
  doc = "Where each element of self belongs in the sorted rows of sorted_sequence.",
}
op "searchsorted.scalar" {
  "(Tensor sorted_sequence, Scalar self, *, bool out_int32=false, bool right=false, string? side, Tensor? sorter) -> Tensor",
  forms = {"torch"}, nondifferentiable = true,
  samples = {{{5, sorted = true}, -0.75}},
  doc = "Where a number belongs in a sorted row.",
}
op "bucketize" {
  "(Tensor self, Tensor boundaries, *, bool out_int32=false, bool right=false) -> Tensor",
  forms = {"torch"}, nondifferentiable = true,
  samples = {{{3, 4}, {5, sorted = true}}, {{3, 4}, {5, sorted = true}, right = true}},
  doc = "Between which of the sorted boundaries each element lies.",
}
op "bucketize.scalar" {
  "(Scalar self, Tensor boundaries, *, bool out_int32=false, bool right=false) -> Tensor",
  forms = {"torch"}, nondifferentiable = true,
  samples = {{-0.75, {5, sorted = true}}},
  doc = "Between which of the sorted boundaries a number lies.",
}
op "isin" {
  "(Tensor elements, Tensor test_elements, *, bool assume_unique=false, bool invert=false) -> Tensor",
  forms = {"torch"}, nondifferentiable = true,
  samples = {{{3, 4, int = 9}, {3, int = 9}}, {{3, 4, int = 9}, {3, int = 9}, invert = true}},
  doc = "Whether each element is one of test_elements.",
}
op "isin.element" {
  "(Tensor elements, Scalar test_element, *, bool assume_unique=false, bool invert=false) -> Tensor",
  forms = {"torch"}, nondifferentiable = true,
  samples = {{{3, 4, int = 9}, 5}},
  doc = "Whether each element is the number.",
}
op "isin.number" {
  "(Scalar element, Tensor test_elements, *, bool assume_unique=false, bool invert=false) -> Tensor",
  forms = {"torch"}, nondifferentiable = true,
  samples = {{5, {3, int = 9}}},
  doc = "Whether the number is one of test_elements.",
}
