-- views.lua: views and copies in another order (the notation: list/read.lua).

op "view" {
  "(Tensor self, size... size) -> Tensor",
  forms = {"method"}, view = true, copy = {implementation = "tocha_op_view_copy"},
  grad = {self = "reshape(grad, sizes(self))"},
  sample = {{3, 4}, size = {2, -1}},
  details = "The number of elements stays the same; one size may be -1. It never copies: where the strides do not allow the shape, as after a " ..
    "transpose, it is an error, and reshape helps.",
  doc = "self's elements in another shape, sharing its memory.",
}
op "view.dtype" {
  "(Tensor self, dtype dtype) -> Tensor",
  forms = {"method"}, view = true, copy = true,
  sample = {{3, 4}, "int32"},
  doc = "self's bytes read as another dtype.",
}
op "unsafe_view" {
  "(Tensor self, size... size) -> Tensor",
  float8 = true,
  implementation = "view(self, size)",
  forms = {},
  grad = {self = "reshape(grad, sizes(self))"},
  sample = {{3, 4}, size = {2, 6}},
  doc = "view of a tensor that nobody else sees.",
}
op "view_alias" {
  "(Tensor self) -> Tensor",
  float8 = true,
  forms = {}, view = true, copy = "alias_copy",
  grad = {self = "grad"},
  doc = "The same view again.",
}
op "reshape" {
  "(Tensor self, size... shape) -> Tensor",
  composite = true,
  samples = {{{3, 4}, shape = {2, -1}}},
  details = "The number of elements stays the same; one size may be -1 and is worked out from the others. If the strides allow it, the result " ..
    "is a view and shares self's memory, else it is a copy.",
  doc = "self's elements in another shape; a view where that is possible.",
}
op "reshape_as" {
  "(Tensor self, Tensor other) -> Tensor",
  forms = {"method"}, composite = "reshape(self, sizes(other))",
  sample = {{3, 4}, {2, 6}},
  doc = "self in the shape of other.",
}
op "view_as" {
  "(Tensor self, Tensor other) -> Tensor",
  forms = {"method"}, composite = "view(self, sizes(other))",
  sample = {{3, 4}, {2, 6}},
  doc = "A view of self in the shape of other.",
}
op "flatten" {
  "(Tensor self, dim start_dim=0, dim end_dim=-1) -> Tensor",
  composite = true,
  samples = {{{2, 3, 4}}, {{2, 3, 4}, 1}},
  details = "The result is a view where the strides allow it, else a copy. A 0-dim tensor becomes one-dimensional. nn.Flatten, the module, " ..
    "keeps dimension 0.",
  doc = "The dimensions start_dim to end_dim as one.",
}
op "ravel" {
  "(Tensor self) -> Tensor",
  composite = "view(contiguous(self), [-1])",
  sample = {{2, 3}},
  doc = "self in one dimension.",
  details = "The elements come in the order of the rows: a view where self is contiguous, else a copy. It is x:reshape(-1).",
}
op "unflatten" {
  "(Tensor self, dim dim, size[] sizes) -> Tensor",
  composite = true,
  sample = {{2, 6}, 1, {2, 3}},
  doc = "Dimension dim as several.",
  details = "The product of the new sizes must be the size of dim; one of them may be -1 and is found from the others. flatten is the reverse.",
}
op "permute" {
  "(Tensor self, dim... dims) -> Tensor",
  view = true, copy = true, backward = "tocha_permute_backward", differentiable = {"self"},
  sample = {{2, 3, 4}, dims = {2, 0, 1}},
  details = "Every dimension is named once: for x of sizes (N, H, W, C), x:permute(0, 3, 1, 2) is (N, C, H, W). The result is a view.",
  doc = "The dimensions in another order.",
}
op "transpose" {
  "(Tensor self, dim dim0, dim dim1) -> Tensor",
  view = true, copy = true,
  grad = {self = "transpose(grad, dim0, dim1)"},
  sample = {{2, 3, 4}, 0, 2},
  details = "The result is a view: it shares self's memory. For the last two dimensions of matrices or batches, x.mT says the same.",
  doc = "Dimensions dim0 and dim1 swapped.",
}
op "swapaxes" {
  "(Tensor self, dim axis0, dim axis1) -> Tensor",
  composite = "transpose(self, axis0, axis1)",
  sample = {{2, 3, 4}, 0, 2},
  doc = "transpose under NumPy's name.",
}
op "swapdims" {
  "(Tensor self, dim dim0, dim dim1) -> Tensor",
  composite = "transpose(self, dim0, dim1)",
  sample = {{2, 3, 4}, 0, 2},
  doc = "transpose under another name.",
}
op "movedim" {
  "(Tensor self, int[] source, int[] destination) -> Tensor",
  composite = true,
  sample = {{2, 3, 4}, {0, 1}, {2, 0}},
  details = "The result is a view. source and destination are two dimensions, or two tables of the same length.",
  doc = "Dimensions moved from the places source to destination, the others in their order.",
}
op "movedim.int" {
  "(Tensor self, dim source, dim destination) -> Tensor",
  implementation = "movedim(self, [source], [destination])",
  composite = true,
  sample = {{2, 3, 4}, 0, 2},
  doc = "A dimension moved from the place source to destination.",
}
op "moveaxis" {
  "(Tensor self, int[] source, int[] destination) -> Tensor",
  composite = true, implementation = "tocha_op_movedim",
  sample = {{2, 3, 4}, {0, 1}, {2, 0}},
  doc = "movedim under NumPy's name.",
}
op "moveaxis.int" {
  "(Tensor self, dim source, dim destination) -> Tensor",
  composite = true, implementation = "movedim(self, [source], [destination])",
  sample = {{2, 3, 4}, 0, 2},
  doc = "movedim under NumPy's name.",
}
op "t" {
  "(Tensor self) -> Tensor",
  view = true, copy = true,
  grad = {self = "t(grad)"},
  sample = {{2, 3}},
  doc = "The transpose of a matrix.",
  details = "self has at most two dimensions; one of fewer comes back as it is. The result is a view: what is written to it is written to self. For " ..
    "batches of matrices use x.mT or transpose.",
}
op "T" {
  "(Tensor self) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 3}},
  attribute = true,
  doc = "All dimensions reversed (the attribute T).",
}
op "mT" {
  "(Tensor self) -> Tensor",
  implementation = "tocha_op_matrix_transpose", with = {name = "mT"},
  forms = {}, composite = true,
  sample = {{2, 3, 4}},
  attribute = true,
  doc = "The last two dimensions swapped (the attribute mT).",
}
op "H" {
  "(Tensor self) -> Tensor",
  forms = {}, composite = true,
  sample = {{2, 3}},
  attribute = true,
  doc = "The transpose of a matrix (the attribute H).",
}
op "mH" {
  "(Tensor self) -> Tensor",
  implementation = "tocha_op_matrix_transpose", with = {name = "mH"},
  forms = {}, composite = true,
  sample = {{2, 3, 4}},
  attribute = true,
  doc = "The last two dimensions swapped (the attribute mH).",
}
op "adjoint" {
  "(Tensor self) -> Tensor",
  implementation = "tocha_op_matrix_transpose", with = {name = "adjoint()"},
  composite = true,
  sample = {{2, 3, 4}},
  doc = "The last two dimensions swapped.",
}
op "squeeze" {
  "(Tensor self) -> Tensor",
  view = true, copy = true,
  backward = "tocha_squeeze_backward", differentiable = {"self"},
  sample = {{2, 1, 3}},
  details = "The result is a view. A dimension that is named but has another size stays.",
  doc = "Without the dimensions of size 1.",
}
op "squeeze.dim" {
  "(Tensor self, dim dim) -> Tensor",
  implementation = "squeeze_dims(self, [dim])",
  view = true, copy = true,
  backward = "tocha_squeeze_backward", differentiable = {"self"},
  sample = {{2, 1, 3}, 1},
  doc = "Without dimension dim, where its size is 1.",
}
op "squeeze.dims" {
  "(Tensor self, dim[] dim) -> Tensor",
  view = true, copy = true,
  backward = "tocha_squeeze_backward", differentiable = {"self"},
  sample = {{2, 1, 1}, {1, 2}},
  doc = "Without those of the dimensions whose size is 1.",
}
op "unsqueeze" {
  "(Tensor self, dim dim) -> Tensor",
  view = true, copy = true,
  grad = {self = "squeeze_dim(grad, dim)"},
  sample = {{2, 3}, 1},
  details = "dim lies between -ndim - 1 and ndim: x of sizes (2, 3) becomes (1, 2, 3) with 0, and (2, 3, 1) with -1. The result is a view.",
  doc = "A new dimension of size 1.",
}
op "t_" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, writes_self = true, view = true,
  grad = {self = "t(grad)"},
  sample = {{2, 3}},
  doc = "In-place form of t.",
}
op "transpose_" {
  "(Tensor self, dim dim0, dim dim1) -> Tensor",
  forms = {"method"}, writes_self = true, view = true, aliases = {"swapdims_"},
  grad = {self = "transpose(grad, dim0, dim1)"},
  sample = {{2, 3}, 0, 1},
  doc = "In-place form of transpose.",
}
op "swapaxes_" {
  "(Tensor self, dim axis0, dim axis1) -> Tensor",
  forms = {"method"}, writes_self = true, view = true, implementation = "tocha_op_transpose_",
  grad = {self = "transpose(grad, axis0, axis1)"},
  sample = {{2, 3}, 0, 1},
  doc = "In-place form of swapaxes.",
}
op "squeeze_" {
  "(Tensor self) -> Tensor",
  forms = {"method"}, writes_self = true, view = true,
  backward = "tocha_squeeze_backward", differentiable = {"self"},
  sample = {{2, 1}},
  doc = "In-place form of squeeze.",
}
op "squeeze_.dim" {
  "(Tensor self, dim dim) -> Tensor",
  implementation = "squeeze__dims(self, [dim])",
  forms = {"method"}, writes_self = true, view = true,
  backward = "tocha_squeeze_backward", differentiable = {"self"},
  sample = {{2, 1}, 1},
  doc = "In-place form of squeeze.",
}
op "squeeze_.dims" {
  "(Tensor self, dim[] dim) -> Tensor",
  forms = {"method"}, writes_self = true, view = true,
  backward = "tocha_squeeze_backward", differentiable = {"self"},
  sample = {{2, 1, 1}, {1, 2}},
  doc = "In-place form of squeeze.",
}
op "unsqueeze_" {
  "(Tensor self, dim dim) -> Tensor",
  forms = {"method"}, writes_self = true, view = true,
  grad = {self = "squeeze_dim(grad, dim)"},
  sample = {{2, 3}, 0},
  doc = "In-place form of unsqueeze.",
}
op "expand" {
  "(Tensor self, size... size, *, bool implicit=false) -> Tensor",
  forms = {"method"}, view = true, copy = true,
  grad = {self = "grad"},
  sample = {{3, 1}, size = {2, 3, 4}},
  details = "The result is a view in which several elements share memory, so clone it before you write into it. New dimensions come first; " ..
    "any size but 1 must stay as it is.",
  doc = "Dimensions of size 1 repeated to a larger size without copying; -1 keeps a size.",
}
op "expand_as" {
  "(Tensor self, Tensor other) -> Tensor",
  forms = {"method"}, composite = "expand(self, sizes(other))",
  sample = {{3, 1}, {2, 3, 4}},
  doc = "self expanded to the sizes of other.",
}
op "broadcast_to" {
  "(Tensor self, size... size) -> Tensor",
  composite = "expand(self, size)",
  sample = {{3, 1}, size = {2, 3, 4}},
  details = "The result is a view in which several elements share memory, so clone it before you write into it.",
  doc = "self expanded to size.",
}
op "broadcast_tensors" {
  "(Tensor...! tensors) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3, 1}, {1, 4}}},
  doc = "The tensors expanded to their common shape.",
  details = "The results are views, in a table; do not write to them in place, for several elements may share memory.",
}
op "select" {
  "(Tensor self, dim dim, index index) -> Tensor",
  view = true, copy = true,
  grad = {self = "select_backward(grad, sizes(self), dim, index)"},
  samples = {{{2, 3}, 1, 2}, {{2, 3}, 0, -1}},
  doc = "One position of dimension dim.",
  details = "The result is a view with one dimension less: x:select(1, 0) is column 0, the same as x[\":, 0\"]. A negative index counts from the end.",
}
op "select_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, index index) -> Tensor",
  float8 = true,
  forms = {},
  grad = {grad_output = "select(grad, dim, index)"},
  sample = {{2}, {2, 3}, 1, 2},
  doc = "grad_output at one position of zeros.",
}
op "slice" {
  "(Tensor self, dim dim=0, int? start, int? stop, int step=1) -> Tensor",
  float8 = true,
  forms = {}, view = true, copy = true,
  grad = {self = "slice_backward(grad, sizes(self), dim, start, stop, step)"},
  sample = {{5, 3}, 0, 1, 4, 2},
  doc = "Positions start, start + step, ... before stop of dimension dim.",
}
op "slice_backward" {
  "(Tensor grad_output, int[] sizes, dim dim, int? start, int? stop, int step) -> Tensor",
  float8 = true,
  forms = {},
  grad = {grad_output = "slice(grad, dim, start, stop, step)"},
  sample = {{2, 3}, {5, 3}, 0, 1, 4, 2},
  doc = "grad_output at a slice of zeros.",
}
op "narrow.tensor" {
  "(Tensor self, dim dim, Tensor start, int length) -> Tensor",
  composite = true, any_device = true,
  sample = {{5, 3}, 0, {int = 2}, 2},
  doc = "length positions of dimension dim from start, a 0-dim tensor, on.",
}
op "narrow" {
  "(Tensor self, dim dim, int start, int length) -> Tensor",
  composite = true,
  sample = {{5, 3}, 0, 1, 2},
  doc = "length positions of dimension dim from start on.",
}
op "diagonal" {
  "(Tensor self, int offset=0, dim dim1=0, dim dim2=1) -> Tensor",
  view = true, copy = true,
  grad = {self = "diagonal_backward(grad, sizes(self), offset, dim1, dim2)"},
  samples = {{{3, 4}}, {{2, 3, 4}, 1, 1, 2}},
  details = "The result is a view. offset > 0 is above the main diagonal, < 0 below it. dim1 and dim2 must differ.",
  doc = "The diagonals of the matrices in dim1 and dim2, along a new last dimension.",
}
op "diagonal_backward" {
  "(Tensor grad_output, int[] sizes, int offset, dim dim1, dim dim2) -> Tensor",
  float8 = true,
  forms = {},
  grad = {grad_output = "diagonal(grad, offset, dim1, dim2)"},
  sample = {{3}, {3, 4}, 0, 0, 1},
  doc = "grad_output on the diagonals of zeros.",
}
op "unfold" {
  "(Tensor self, dim dimension, int size, int step) -> Tensor",
  forms = {"method"}, view = true, copy = true,
  grad = {self = "unfold_backward(grad, sizes(self), dimension, size, step)"},
  sample = {{7, 2}, 0, 3, 2},
  details = "The result is a view with one dimension more, of size `size`. size may not exceed that of the dimension, and step is at least 1. " ..
    "For images, nn.functional.unfold makes columns.",
  doc = "All windows of size positions, step apart, along a new last dimension.",
}
op "unfold_backward" {
  "(Tensor grad_output, int[] sizes, dim dimension, int size, int step) -> Tensor",
  forms = {},
  grad = {grad_output = "unfold(grad, dimension, size, step)"},
  sample = {{3, 2, 3}, {7, 2}, 0, 3, 2},
  doc = "The windows added up again.",
}
op "as_strided" {
  "(Tensor self, size[] size, int[] stride, int? storage_offset) -> Tensor",
  composite = true,
  sample = {{3, 4}, {2, 2}, {1, 2}, 1},
  doc = "A view of self's memory with any size, strides and offset.",
}
op "as_strided_copy" {
  "(Tensor self, size[] size, int[] stride, int? storage_offset) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{3, 4}, {2, 2}, {1, 2}, 1},
  same_as = "torch.as_strided",
  doc = "A copy of what as_strided shows.",
}
op "as_strided_view" {
  "(Tensor self, size[] size, int[] stride, int offset, int[] input_stride, int input_offset) -> Tensor",
  float8 = true,
  forms = {}, view = true, copy = {forms = {}},
  grad = {self = "_as_strided_scatter(grad, sizes(self), input_stride, input_offset, size, stride, offset)"},
  sample = {{3, 4}, {2, 2}, {1, 2}, 1, {4, 1}, 0},
  doc = "as_strided with the geometry of its input.",
}
op "as_strided_" {
  "(Tensor self, size[] size, int[] stride, int? storage_offset) -> Tensor",
  composite = true, writes_self = true,
  sample = {{3, 4}, {2, 2}, {1, 2}, 1},
  doc = "In-place form of as_strided.",
}
op "as_strided_view_" {
  "(Tensor self, size[] size, int[] stride, int offset, int[] input_stride, int input_offset) -> Tensor",
  float8 = true,
  forms = {}, writes_self = true, view = true,
  grad = {self = "_as_strided_scatter(grad, sizes(self), input_stride, input_offset, size, stride, offset)"},
  sample = {{3, 4}, {2, 2}, {1, 2}, 1, {4, 1}, 0},
  doc = "as_strided_ with the geometry of its input.",
}
op "unbind" {
  "(Tensor self, dim dim=0) -> Tensor[]",
  view = true, copy = true, backward = "tocha_unbind_backward", differentiable = {"self"},
  sample = {{2, 3}, 1},
  details = "The parts are views with one dimension less, in a Lua table that counts from 1. A 0-dim tensor is an error.",
  doc = "All positions of dimension dim, one by one.",
}
op "split" {
  "(Tensor self, int split_size, dim dim=0) -> Tensor[]",
  view = true, copy = true, backward = "tocha_split_backward", differentiable = {"self"},
  sample = {{5, 2}, 2},
  details = "The pieces are views, in a Lua table that counts from 1. A table of sizes must sum to the size of dim.",
  doc = "Pieces of split_size positions along dim; the last may be smaller.",
}
op "split.sizes" {
  "(Tensor self, int[] split_size, dim dim=0) -> Tensor[]",
  view = true, backward = "tocha_split_backward", differentiable = {"self"},
  implementation = "tocha_op_split_with_sizes",
  sample = {{5, 2}, {2, 3}},
  doc = "Pieces of the given sizes along dim.",
}
op "split_with_sizes" {
  "(Tensor self, int[] split_sizes, dim dim=0) -> Tensor[]",
  view = true, copy = true, backward = "tocha_split_backward", differentiable = {"self"},
  sample = {{5, 2}, {2, 3}},
  doc = "Pieces of the given sizes along dim.",
}
op "chunk" {
  "(Tensor self, int chunks, dim dim=0) -> Tensor[]",
  implementation = "tocha_op_chunk", with = {safe = true},
  composite = true,
  sample = {{5, 2}, 2},
  details = "The pieces are views, in a Lua table that counts from 1. There may be fewer than asked for: torch.arange(5):chunk(4) has three " ..
    "pieces, of 2, 2 and 1.",
  doc = "At most chunks pieces of equal size along dim; the last may be smaller.",
}
op "tensor_split.tensor" {
  "(Tensor self, Tensor tensor_indices_or_sections, dim dim=0) -> Tensor[]",
  composite = true, any_device = true,
  samples = {{{5, 2}, {2, int = 4, cpu = true}}, {{5, 2}, {int = 9, cpu = true}}},
  doc = "tensor_split at the indices, or in so many sections as the 0-dim tensor says.",
}
op "tensor_split" {
  "(Tensor self, int sections, dim dim=0) -> Tensor[]",
  composite = true,
  sample = {{5, 2}, 2},
  doc = "Exactly that many pieces along dim, the first ones larger by one where needed.",
}
op "tensor_split.indices" {
  "(Tensor self, int[] indices, dim dim=0) -> Tensor[]",
  composite = true,
  sample = {{5, 2}, {1, 3}},
  doc = "Pieces along dim, cut at the indices.",
}
op "meshgrid" {
  "(Tensor... tensors, *, string? indexing) -> Tensor[]",
  forms = {"torch"}, composite = true, one_device = true,
  sample = {tensors = {{3}, {2}}, indexing = "ij"},
  doc = "Coordinate grids from coordinate vectors.",
  details = "Of vectors of sizes N and M come two tensors, both (N, M): the first holds the first vector's values, the same along each row. indexing = " ..
    "'xy' gives (M, N) instead, as pictures have it.",
}
op "atleast_1d" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{}},
  doc = "self with at least one dimension.",
}
op "atleast_2d" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{3}},
  doc = "self with at least two dimensions.",
}
op "atleast_3d" {
  "(Tensor self) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{3}},
  doc = "self with at least three dimensions.",
}
op "atleast_1d.list" {
  "(Tensor... tensors) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3}, {2}}},
  doc = "Each tensor with at least one dimension.",
}
op "atleast_2d.list" {
  "(Tensor... tensors) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3}, {2}}},
  doc = "Each tensor with at least two dimensions.",
}
op "atleast_3d.list" {
  "(Tensor... tensors) -> Tensor[]",
  forms = {"torch"}, composite = true,
  sample = {tensors = {{3}, {2}}},
  doc = "Each tensor with at least three dimensions.",
}
op "repeat" {
  "(Tensor self, size... repeats) -> Tensor",
  forms = {"method"}, lua = "rep", backward = "tocha_repeat_backward", differentiable = {"self"},
  sample = {{2, 3}, repeats = {2, 1, 2}},
  details = "At least as many repetitions as dimensions; more of them add dimensions in front. The elements are copied, unlike those of " ..
    "expand.",
  doc = "self repeated along each dimension (in Lua: rep).",
}
op "tile" {
  "(Tensor self, size... dims) -> Tensor",
  composite = true,
  sample = {{2, 3}, dims = {2}},
  details = "With fewer repetitions than dimensions, the first dimensions are not repeated. The elements are copied.",
  doc = "self repeated; missing repetitions are 1.",
}
op "repeat_interleave.tensor" {
  "(Tensor self, Tensor repeats, dim? dim, *, int? output_size) -> Tensor",
  composite = true,
  sample = {{2, 3}, {2, int = 3}, 0},
  doc = "Position i of dim repeats[i] times in a row.",
}
op "repeat_interleave.indices" {
  "(Tensor repeats) -> Tensor",
  forms = {"torch"},
  sample = {{3, int = 3}},
  doc = "Number i repeats[i] times.",
}
op "repeat_interleave" {
  "(Tensor self, int repeats, dim? dim, *, int? output_size) -> Tensor",
  composite = true,
  sample = {{2, 3}, 2, 1},
  doc = "Each element (or position of dim) repeats times in a row.",
}
op "roll" {
  "(Tensor self, dim[] shifts, dim[]? dims) -> Tensor",
  backward = "tocha_roll_backward", differentiable = {"self"},
  samples = {{{2, 3}, 1}, {{2, 3}, {1, 2}, {0, 1}}},
  details = "shifts and dims go together: several of one need as many of the other. Without dims, the flattened tensor is rolled, and the " ..
    "shape restored.",
  doc = "Elements moved along dims; what leaves at the end comes in at the beginning.",
}
op "flip" {
  "(Tensor self, dim... dims) -> Tensor",
  grad = {self = "flip(grad, dims)"},
  sample = {{2, 3}, dims = {0, 1}},
  details = "The elements are copied. Each dimension is named at most once.",
  doc = "The order of elements reversed along dims.",
}
op "fliplr" {
  "(Tensor self) -> Tensor",
  composite = true,
  sample = {{2, 3}},
  doc = "The columns in reverse order.",
  details = "Dimension 1 is reversed, left and right change places; self has at least two dimensions. The elements are copied. For any dimensions use " ..
    "flip.",
}
op "flipud" {
  "(Tensor self) -> Tensor",
  composite = true,
  sample = {{2, 3}},
  doc = "The rows in reverse order.",
  details = "Dimension 0 is reversed, top and bottom change places; self has at least one dimension. The elements are copied. For any dimensions use " ..
    "flip.",
}
op "rot90" {
  "(Tensor self, int k=1, int[]? dims) -> Tensor",
  grad = {self = "rot90(grad, -k, dims)"},
  samples = {{{2, 3}}, {{2, 3}, 2}},
  doc = "A plane (dims 0 and 1) rotated by 90 degrees k times.",
}
op "_as_strided_scatter" {
  "(Tensor self, int[] input_size, int[] input_stride, int input_offset, int[] size, int[] stride, int offset) -> Tensor",
  float8 = true,
  forms = {},
  grad = {self = "_as_strided_gather(grad, input_size, input_stride, input_offset, size, stride, offset)"},
  sample = {{2, 2}, "[4]", "[1]", 0, "[2, 2]", "[1, 2]", 0},
  doc = "The gradient of input.as_strided(size, stride, offset) where that of the view is self.",
}
op "_as_strided_gather" {
  "(Tensor self, int[] input_size, int[] input_stride, int input_offset, int[] size, int[] stride, int offset) -> Tensor",
  float8 = true,
  forms = {},
  grad = {self = "_as_strided_scatter(grad, input_size, input_stride, input_offset, size, stride, offset)"},
  sample = {{4}, "[4]", "[1]", 0, "[2, 2]", "[1, 2]", 0},
  doc = "self, laid out by input_size, input_stride and input_offset, seen through another geometry.",
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
