-- matmul.lua: matrix products (the notation: list/read.lua).

op "mm" {
  "(Tensor self, Tensor mat2) -> Tensor",
  backward = "tocha_mm_backward", differentiable = {"self", "mat2"}, saves = {self = "mat2", mat2 = "self"},
  sample = {{3, 4}, {4, 2}},
  details = "Both are matrices of the same dtype, and the columns of self are as many as the rows of mat2. It does not broadcast: see " ..
    "torch.matmul.",
  doc = "The product of two matrices, (M, K) @ (K, N).",
}
op "bmm" {
  "(Tensor self, Tensor mat2) -> Tensor",
  grad = {self = "bmm(grad, transpose(mat2, 1, 2))", mat2 = "bmm(transpose(self, 1, 2), grad)"},
  sample = {{2, 3, 4}, {2, 4, 2}},
  details = "Both have three dimensions, the same batch size B and the same dtype; (B, M, N) comes out. It does not broadcast: see " ..
    "torch.matmul.",
  doc = "Products of two batches of matrices, (B, M, K) @ (B, K, N).",
}
op "mv" {
  "(Tensor self, Tensor vec) -> Tensor",
  grad = {self = "outer(grad, vec)", vec = "mv(t(self), grad)"},
  sample = {{3, 4}, {4}},
  details = "(M, K) and (K) make (M). Both have the same dtype.",
  doc = "A matrix times a vector.",
}
op "dot" {
  "(Tensor self, Tensor tensor) -> Tensor",
  grad = {self = "grad * tensor", tensor = "grad * self"},
  sample = {{4}, {4}},
  details = "Both have one dimension, the same length and the same dtype; the result is 0-dimensional.",
  doc = "The inner product of two vectors.",
}
op "vdot" {
  "(Tensor self, Tensor other) -> Tensor",
  implementation = "dot(self, other)",
  grad = {self = "grad * other", other = "grad * self"},
  sample = {{4}, {4}},
  doc = "The inner product of two vectors (of real numbers: as dot).",
}
op "addmm" {
  "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  one_device = true,
  inplace = {implementation = "tocha_op_addmm_inplace"},
  backward = "tocha_addmm_backward", differentiable = {"self", "mat1", "mat2"}, saves = {mat1 = "mat2", mat2 = "mat1"},
  samples = {{{3, 2}, {3, 4}, {4, 2}}, {{2}, {3, 4}, {4, 2}, beta = 0.5, alpha = 2.0}},
  details = "self broadcasts to (M, N); mat1 is (M, K), mat2 (K, N), all of one dtype. With beta = 0, self is not read.",
  doc = "beta * self + alpha * (mat1 @ mat2).",
}
op "addmv" {
  "(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  one_device = true,
  inplace = {implementation = "tocha_op_addmv_inplace", forms = "torch"},
  grad = {self = "scaled(grad, beta)", mat = "scaled(outer(grad, vec), alpha)", vec = "scaled(mv(t(mat), grad), alpha)"},
  sample = {{3}, {3, 4}, {4}, beta = 0.5, alpha = 2.0},
  doc = "beta * self + alpha * (mat @ vec).",
}
op "addbmm" {
  "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  inplace = {implementation = "tocha_op_addbmm_inplace"},
  grad = {self = "scaled(grad, beta)", batch1 = "scaled(matmul(grad, transpose(batch2, 1, 2)), alpha)",
    batch2 = "scaled(matmul(transpose(batch1, 1, 2), grad), alpha)"},
  sample = {{3, 2}, {2, 3, 4}, {2, 4, 2}, beta = 0.5, alpha = 2.0},
  doc = "beta * self + alpha * the sum over the batch of (batch1 @ batch2).",
}
op "baddbmm" {
  "(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
  inplace = {implementation = "tocha_op_baddbmm_inplace"},
  grad = {self = "scaled(grad, beta)", batch1 = "scaled(bmm(grad, transpose(batch2, 1, 2)), alpha)",
    batch2 = "scaled(bmm(transpose(batch1, 1, 2), grad), alpha)"},
  sample = {{2, 3, 2}, {2, 3, 4}, {2, 4, 2}, beta = 0.5, alpha = 2.0},
  details = "self broadcasts to (B, M, N); batch1 is (B, M, K), batch2 (B, K, N), all of one dtype. With beta = 0, self is not read.",
  doc = "beta * self + alpha * (batch1 @ batch2).",
}
op "matmul" {
  "(Tensor self, Tensor other) -> Tensor",
  aliases = {"linalg.matmul"},
  composite = true,
  samples = {{{3, 4}, {4, 2}}, {{2, 3, 4}, {4}}, {{2, 3, 4}, {4, 2}}, {{2, 1, 3, 4}, {2, 4, 2}}},
  details = "Two vectors give a number, matrix and vector a vector, two matrices a matrix. With more dimensions, the last two are matrices, " ..
    "and the others broadcast: (5, 2, 3) and (3, 4) make (5, 2, 4). Both have the same dtype; 0-dim tensors are an error. At the " ..
    "prompt, a @ b is understood.",
  doc = "The product of matrices and vectors; leading dimensions are batches and broadcast.",
}
op "linear" {
  "(Tensor input, Tensor weight, Tensor? bias) -> Tensor",
  one_device = true,
  forms = {"nn.functional"}, composite = true,
  samples = {{{3, 4}, {2, 4}, {2}}, {{2, 3, 4}, {2, 4}}},
  details = "input is (..., in), weight (out, in), bias (out); (..., out) comes out. nn.Linear is the module that has them.",
  doc = "input @ weight.T + bias.",
}
op "bilinear" {
  "(Tensor input1, Tensor input2, Tensor weight, Tensor? bias) -> Tensor",
  forms = {"torch", "nn.functional"}, composite = true,
  sample = {{3, 4}, {3, 2}, {5, 4, 2}, {5}},
  doc = "input1 @ weight[o] @ input2 + bias[o], for every o.",
}
op "outer" {
  "(Tensor self, Tensor vec2) -> Tensor",
  composite = true, aliases = {"ger"},
  sample = {{3}, {4}},
  details = "(N) and (M) make (N, M). The dtypes are promoted.",
  doc = "All products of an element of one vector and one of another.",
}
op "inner" {
  "(Tensor self, Tensor other) -> Tensor",
  composite = true,
  samples = {{{3}, {3}}, {{2, 3}, {4, 3}}},
  doc = "Inner products over the last dimensions of both.",
  details = "The last sizes must agree; of (A, K) and (B, K) comes (A, B). For two vectors it is dot; if one of them is a number, the product.",
}
op "multi_dot" {
  "(Tensor[] tensors) -> Tensor",
  forms = {"linalg"}, composite = true, implementation = "tocha_op_linalg_multi_dot",
  sample = {{{2, 3}, {3, 4}, {4, 2}}},
  doc = "The product of several matrices in the cheapest order.",
}
op "einsum" {
  "(string equation, Tensor... operands) -> Tensor",
  forms = {"torch"}, composite = true,
  samples = {{"ij,jk->ik", operands = {{3, 4}, {4, 2}}}},
  doc = "Sums of products of the operands' elements, as the equation names their dimensions.",
}
op "_tensordot" {
  "(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
  forms = {"torch"}, composite = true, unlisted = true,
  sample = {{3, 4}, {4, 2}, {1}, {0}},
  doc = "The operator behind tensordot, whose dimensions are lists.",
}
op "_scaled_mm" {
  "(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias, Tensor? scale_result, dtype? out_dtype, bool use_fast_accum=false) -> Tensor",
  forms = {"torch"}, implementation = "tocha_op_scaled_mm",
  backward = "tocha_grad_not_implemented", differentiable = {"self", "mat2", "scale_a", "scale_b"}, nogradcheck = true,
  samples = {{{3, 4, dtype = "float8_e4m3fn"}, {4, 2, dtype = "float8_e4m3fn"}, {dtype = "float32"}, {dtype = "float32", positive = true}, out_dtype = "float32"},
    {{3, 4, dtype = "float8_e4m3fn"}, {4, 2, dtype = "float8_e5m2"}, {3, 1, dtype = "float32"}, {1, 2, dtype = "float32"}, {2, dtype = "float32"}, out_dtype = "bfloat16"}},
  doc = "(scale_a * self) @ (scale_b * mat2) + bias, of two float8 matrices.",
  details = "Scales are float32: of one element each, or (M, 1) and (1, N), a scale for each row of self and each column of mat2. out_dtype: " ..
    "self's if it is not given. On a GPU of capability 8.9 or above cuBLASLt multiplies float8_e4m3fn and float8_e5m2, of sizes that are multiples " ..
    "of 16. A result whose out_dtype is one of these two is divided by scale_result; others ignore it.",
}
op "_int_mm" {
  "(Tensor self, Tensor mat2) -> Tensor",
  forms = {"torch"}, nondifferentiable = true, implementation = "tocha_op_int_mm",
  sample = {{3, 4, dtype = "int8"}, {4, 2, dtype = "int8"}},
  doc = "The product of two matrices of int8, as int32.",
  details = "On a GPU self has more than 16 rows, and the other sizes are multiples of 8.",
}
