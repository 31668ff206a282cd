-- products.lua: products, norms and ranks of matrices (the notation: list/read.lua).

op "cross.linalg" {
  "(Tensor self, Tensor other, *, dim dim=-1) -> Tensor",
  forms = {"linalg"},
  grad = {self = "cross_linalg(other, grad, dim)", other = "cross_linalg(grad, self, dim)"},
  samples = {{{4, 3}, {4, 3}}, {{3, 2}, {3, 2}, dim = 0}, {{2, 1, 3}, {2, 4, 3}}},
  doc = "The cross products of vectors of three elements along dim.",
}
op "cross" {
  "(Tensor self, Tensor other, dim? dim) -> Tensor",
  composite = true,
  samples = {{{4, 3}, {4, 3}, 1}, {{3, 2}, {3, 2}, 0}},
  doc = "The cross products of vectors along dim (the first of size 3 if dim is not given).",
}
op "vecdot" {
  "(Tensor x, Tensor y, *, dim dim=-1) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{4, 3, dominant = true}, {4, 3, dominant = true}}, {{2, 4, 3, dominant = true}, {4, 1}, dim = -2}},
  doc = "The inner products of vectors along dim.",
}
op "diagonal.linalg" {
  "(Tensor A, *, int offset=0, dim dim1=-2, dim dim2=-1) -> Tensor",
  forms = {"linalg"}, composite = "diagonal(A, offset, dim1, dim2)",
  samples = {{{3, 4, dominant = true}}, {{2, 3, 4, dominant = true}, offset = 1}},
  doc = "A view of the diagonals of matrices.",
}
op "trace" {
  "(Tensor self) -> Tensor",
  grad = {self = "_trace_backward(grad, sizes(self))"},
  samples = {{{3, 4, dominant = true}}, {{3, 3, dominant = true}}},
  doc = "The sum of a matrix' diagonal.",
  details = "self is two-dimensional, not necessarily square. Integers sum to int64. For batches of matrices: x:diagonal({dim1 = -2, dim2 = " ..
    "-1}):sum(-1).",
}
op "_trace_backward" {
  "(Tensor grad, int[] sizes) -> Tensor",
  forms = {}, composite = true,
  sample = {{}, {3, 4, dominant = true}},
  doc = "grad on the diagonal of zeros.",
}
op "kron" {
  "(Tensor self, Tensor other) -> Tensor",
  composite = true,
  samples = {{{2, 3}, {3, 2}}, {{2}, {3}}},
  doc = "self's elements, each times all of other.",
  details = "The Kronecker product: of (A, B) and (C, D) comes (A C, B D), a block of other for each element of self.",
}
op "dist" {
  "(Tensor self, Tensor other, Scalar p=2) -> Tensor",
  grad = {self = "_norm_backward(grad, self - other, result, p)", other = "-_norm_backward(grad, self - other, result, p)"},
  samples = {{{3, 4}, {3, 4}}, {{3, 4}, {4}, 1}},
  doc = "The p-norm of self - other.",
  details = "The tensors broadcast; the result is one number. p is 2 if none is given, and may be infinite (the largest difference) or 0 (how many " ..
    "differ).",
}
op "matrix_power" {
  "(Tensor self, int n) -> Tensor",
  composite = true,
  samples = {{{3, 3, dominant = true}, 3}, {{2, 3, 3, dominant = true}, -2}, {{3, 3, dominant = true}, 0}, {{3, 3, dominant = true}, -1}},
  doc = "The n-th power of square matrices; a negative one is a power of the inverse.",
}
op "matrix_power.linalg" {
  "(Tensor self, int n) -> Tensor",
  forms = {"linalg"}, composite = true, implementation = "tocha_op_matrix_power",
  samples = {{{3, 3, dominant = true}, 3}, {{2, 3, 3, dominant = true}, -2}, {{3, 3, dominant = true}, 0}, {{3, 3, dominant = true}, -1}},
  doc = "The n-th power of square matrices; a negative one is a power of the inverse.",
}
op "matrix_norm" {
  "(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=false, *, dtype? dtype) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{3, 4, dominant = true}, 1}, {{2, 3, 4, dominant = true}, 2}, {{3, 3, dominant = true}, -2}, {{2, 3, 4, dominant = true}, 1 / 0, {0, 1}, true}},
  details = "The two dimensions dim are the matrices, the last two unless said; the others are batches. Floating point alone.",
  doc = "A norm of matrices: of ord 1 and inf the largest sum of a column and a row, of 2 the largest singular value; negative: the smallest.",
}
op "matrix_norm.str_ord" {
  "(Tensor self, string ord='fro', int[] dim=[-2, -1], bool keepdim=false, *, dtype? dtype) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{3, 4, dominant = true}}, {{2, 3, 4, dominant = true}, "nuc"}},
  doc = "A norm of matrices by name: 'fro' is the root of the sum of squares, 'nuc' the sum of the singular values.",
}
op "cond" {
  "(Tensor self, Scalar? p) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{3, 3, dominant = true}}, {{2, 3, 4, dominant = true}, -2}},
  doc = "The condition number: a norm of the matrix times that of its inverse (2: by singular values).",
}
op "cond.p_str" {
  "(Tensor self, string p) -> Tensor",
  forms = {"linalg"}, composite = true, nondifferentiable = true,
  samples = {{{3, 3, dominant = true}, "fro"}, {{3, 3, dominant = true}, "nuc"}},
  doc = "The condition number in a norm with a name.",
}
op "matrix_rank" {
  "(Tensor self, *, float? atol, float? rtol, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, composite = true, nondifferentiable = true,
  samples = {{{4, 3, dominant = true}}, {{2, 3, 3, dominant = true}, hermitian = true}},
  doc = "How many singular values are above max(atol, rtol * the largest).",
}
op "matrix_rank.tol" {
  "(Tensor self, float tol, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, composite = true, nondifferentiable = true,
  sample = {{4, 3, dominant = true}, 0.5},
  doc = "How many singular values are above tol.",
}
op "matrix_rank.atol_rtol_tensor" {
  "(Tensor input, *, Tensor? atol, Tensor? rtol, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, composite = true, nondifferentiable = true,
  sample = {{2, 4, 3, dominant = true}, atol = {2, positive = true}},
  doc = "How many singular values are above tolerances for each matrix.",
}
op "matrix_rank.tol_tensor" {
  "(Tensor input, Tensor tol, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, composite = true, nondifferentiable = true,
  sample = {{2, 4, 3, dominant = true}, {2, positive = true}},
  doc = "How many singular values are above a tolerance for each matrix.",
}
op "vander" {
  "(Tensor x, *, int? N) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{4}}, {{2, 3}, N = 5}},
  doc = "The powers 0 to N - 1 of each element, along a new last dimension.",
}
op "matrix_exp" {
  "(Tensor self) -> Tensor",
  tied = true,
  aliases = {"linalg.matrix_exp"},
  backward = "tocha_matrix_exp_rule", differentiable = {"self"}, saves = {"self"},
  samples = {{{3, 3}}, {{2, 4, 4, dominant = true}}},
  doc = "The exponential of square matrices.",
  details = "self is (..., N, N), floating point. It is the sum of self^k / k!, and not exp of each element.",
}
