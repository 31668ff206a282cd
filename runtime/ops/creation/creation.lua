-- creation.lua: tensors made from sizes and numbers (the notation: list/read.lua).

op "empty" {
  "(size... size) -> Tensor", factory = "memory_format",
  forms = {"torch"},
  sample = {size = {2, 3}},
  details = "Its elements are whatever the memory holds, so fill them before you read them. Sizes and dtype are given as for torch.zeros.",
  doc = "A tensor of that size without defined values.",
}
op "zeros" {
  "(size... size) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {size = {2, 3}},
  details = "The sizes are given one by one, torch.zeros(2, 3), or as a table, torch.zeros{2, 3}; without any, the result is 0-dimensional. " ..
    "The dtype is the default dtype (float32) unless dtype is given. A negative size is an error.",
  doc = "A tensor of zeros.",
}
op "ones" {
  "(size... size) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {size = {2, 3}},
  details = "The sizes are given one by one, torch.ones(2, 3), or as a table, torch.ones{2, 3}; without any, the result is 0-dimensional. The " ..
    "dtype is the default dtype (float32) unless dtype is given. A negative size is an error.",
  doc = "A tensor of ones.",
}
op "full" {
  "(size[] size, Scalar fill_value) -> Tensor", factory = true,
  forms = {"torch"},
  samples = {{{2, 3}, 1.5}, {{2, 3}, 7}},
  details = "The sizes are one table: torch.full({2, 3}, 7). Without dtype, an integer gives int64, true or false gives bool, and a fraction " ..
    "the default dtype.",
  doc = "A tensor of that size filled with fill_value, whose kind decides the dtype.",
}
op "scalar_tensor" {
  "(Scalar s) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {3.5},
  doc = "A 0-dim tensor with the value s.",
}
op "empty_strided" {
  "(size[] size, int[] stride) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {{2, 3}, {1, 2}},
  doc = "A tensor with that size and those strides, without defined values.",
}
op "zeros_like" {
  "(Tensor self) -> Tensor", factory = "memory_format",
  implementation = "tocha_op_number_like", with = {name = "zeros_like", value = 0},
  forms = {"torch"},
  details = "Dtype and device are those of self, too, unless they are given. A result for a tensor that requires grad does not require it.",
  doc = "Zeros of self's sizes.",
}
op "ones_like" {
  "(Tensor self) -> Tensor", factory = "memory_format",
  implementation = "tocha_op_number_like", with = {name = "ones_like", value = 1},
  forms = {"torch"},
  details = "Dtype and device are those of self, too, unless they are given. A result for a tensor that requires grad does not require it.",
  doc = "Ones of self's sizes.",
}
op "empty_like" {
  "(Tensor self) -> Tensor", factory = "memory_format",
  forms = {"torch"},
  doc = "A tensor of self's sizes without defined values.",
  details = "self's dtype and device are taken, too, unless dtype and device say otherwise. What the memory held is what is seen: write every element " ..
    "before it is read.",
}
op "full_like" {
  "(Tensor self, Scalar fill_value) -> Tensor", factory = "memory_format",
  forms = {"torch"},
  sample = {{3, 4}, 2.5},
  doc = "A tensor of self's sizes filled with fill_value.",
  details = "self's dtype and device are taken, too, unless dtype and device say otherwise; the value is converted to that dtype.",
}
op "new_empty" {
  "(Tensor self, size... size) -> Tensor", factory = true,
  forms = {"method"},
  sample = {{3}, size = {2, 2}},
  doc = "An undefined tensor with self's dtype and device.",
}
op "new_empty_strided" {
  "(Tensor self, size[] size, int[] stride) -> Tensor", factory = true,
  forms = {"method"},
  sample = {{3}, {2, 3}, {1, 2}},
  doc = "Uninitialized, of any size and strides, with the dtype and on the device of self.",
}
op "empty_permuted" {
  "(size[] size, int[] physical_layout) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {{2, 3, 4}, {2, 0, 1}},
  doc = "Uninitialized, with its dimensions in memory in the order of physical_layout.",
}
op "new_zeros" {
  "(Tensor self, size... size) -> Tensor", factory = true,
  implementation = "new_full(self, size, 0, dtype, device, requires_grad)",
  forms = {"method"},
  sample = {{3}, size = {2, 2}},
  doc = "Zeros with self's dtype and device.",
}
op "new_ones" {
  "(Tensor self, size... size) -> Tensor", factory = true,
  implementation = "new_full(self, size, 1, dtype, device, requires_grad)",
  forms = {"method"},
  sample = {{3}, size = {2, 2}},
  doc = "Ones with self's dtype and device.",
}
op "new_full" {
  "(Tensor self, size[] size, Scalar fill_value) -> Tensor", factory = true,
  forms = {"method"},
  sample = {{3}, {2, 2}, 1.5},
  doc = "fill_value everywhere, with self's dtype and device.",
}
op "arange" {
  "(Scalar stop) -> Tensor", factory = true,
  implementation = "arange_start(0, stop, 1, dtype, device, requires_grad)",
  forms = {"torch"},
  sample = {5},
  details = "The result is one-dimensional, and stop itself is left out. It is int64 if all numbers are integers, else of the default dtype; " ..
    "Lua's 3.0 is no integer. A step of 0, or one with the wrong sign, is an error. For fractions prefer torch.linspace: rounding " ..
    "decides whether a last element belongs to it.",
  doc = "0, 1, 2, ... below stop.",
}
op "arange.start" {
  "(Scalar start, Scalar stop, Scalar step=1) -> Tensor", factory = true,
  forms = {"torch"},
  samples = {{1, 10, 2}, {0.0, 1.0, 0.1}},
  doc = "start, start + step, ... before stop.",
}
op "linspace" {
  "(Scalar start, Scalar stop, int steps) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {0, 1, 5},
  details = "The result is one-dimensional, of the default dtype unless dtype is given. With steps = 1 it holds start alone; negative steps " ..
    "are an error.",
  doc = "steps values from start to stop, both included, equally far apart.",
}
op "linspace.tensors" {
  "(Operand start, Operand stop, int steps) -> Tensor", factory = true,
  forms = {"torch"}, composite = true,
  sample = {{}, {}, 5},
  doc = "linspace between 0-dim tensors.",
}
op "logspace" {
  "(Scalar start, Scalar stop, int steps, float base=10.0) -> Tensor", factory = true,
  forms = {"torch"},
  sample = {0, 2, 3},
  doc = "base to the powers linspace(start, stop, steps).",
}
op "logspace.tensors" {
  "(Operand start, Operand stop, int steps, float base=10.0) -> Tensor", factory = true,
  forms = {"torch"}, composite = true,
  sample = {{}, {}, 3},
  doc = "logspace between 0-dim tensors.",
}
op "eye" {
  "(int n, int? m) -> Tensor", factory = true,
  forms = {"torch"},
  samples = {{3}, {2, 4}},
  details = "The result is of the default dtype unless dtype is given. Negative sizes are an error.",
  doc = "Ones on the diagonal of an n x m (or n x n) matrix of zeros.",
}
op "tril" {
  "(Tensor self, int diagonal=0) -> Tensor",
  implementation = "tocha_op_triangle", with = {upper = false},
  inplace = true,
  grad = {self = "tril(grad, diagonal)"},
  samples = {{{3, 4}}, {{2, 3, 3}, 1}},
  details = "The last two dimensions are the matrices, the others batches. diagonal = 1 keeps one diagonal more above the main one, -1 one " ..
    "less.",
  doc = "The lower triangle of each matrix, zeros elsewhere.",
}
op "triu" {
  "(Tensor self, int diagonal=0) -> Tensor",
  implementation = "tocha_op_triangle", with = {upper = true},
  inplace = true,
  grad = {self = "triu(grad, diagonal)"},
  samples = {{{3, 4}}, {{2, 3, 3}, -1}},
  details = "The last two dimensions are the matrices, the others batches. diagonal = 1 leaves out the main diagonal too; -1 keeps one more " ..
    "below it. torch.ones(n, n):triu(1):bool() is a causal mask.",
  doc = "The upper triangle of each matrix, zeros elsewhere.",
}
op "tril_indices" {
  "(int row, int col, int offset=0) -> Tensor", factory = true,
  implementation = "tocha_op_triangle_indices", with = {upper = false},
  forms = {"torch"},
  sample = {3, 4},
  doc = "The rows and columns of a lower triangle, (2, count).",
}
op "triu_indices" {
  "(int row, int col, int offset=0) -> Tensor", factory = true,
  implementation = "tocha_op_triangle_indices", with = {upper = true},
  forms = {"torch"},
  sample = {3, 4},
  doc = "The rows and columns of an upper triangle, (2, count).",
}
op "diag_embed" {
  "(Tensor self, int offset=0, dim dim1=-2, dim dim2=-1) -> Tensor",
  grad = {self = "diagonal(grad, offset, dim1, dim2)"},
  samples = {{{3}}, {{2, 3}, 1}},
  doc = "The last dimension of self along a diagonal of new matrices.",
  details = "Of (..., N) comes (..., N, N), zero beside the diagonal; offset moves it, and dim1 and dim2 say where the matrices' dimensions are.",
}
op "diag" {
  "(Tensor self, int diagonal=0) -> Tensor",
  composite = true,
  samples = {{{3}}, {{3, 4}, 1}},
  details = "self has one or two dimensions. diagonal > 0 is above the main diagonal, < 0 below it. The result is a copy; diagonal() gives a " ..
    "view.",
  doc = "A matrix with the vector self on its diagonal, or the diagonal of the matrix self.",
}
