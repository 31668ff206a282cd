-- solvers.lua: inverses and systems of equations (the notation: list/read.lua).

op "_linalg_inv_ex" {
  "(Tensor A, bool check_errors, string name) -> (Tensor inverse, Tensor info)",
  forms = {}, host = "without library",
  grad = {A = "-matmul(transpose(inverse, -2, -1), matmul(grad_inverse, transpose(inverse, -2, -1)))"},
  sample = {{3, 3, dominant = true}, false, "linalg.inv"},
  doc = "The inverse, and info: 0, or the place (from 1) of a zero on the diagonal of the LU factors.",
}
op "inv" {
  "(Tensor A) -> Tensor",
  forms = {"linalg"}, composite = "_linalg_inv_ex(A, true, 'linalg.inv')",
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}}},
  details = "(..., N, N), float32 or float64. A singular matrix is an error. To solve A X = B, torch.linalg.solve is faster and more exact.",
  doc = "The inverse of square matrices.",
}
op "inverse" {
  "(Tensor self) -> Tensor",
  composite = "_linalg_inv_ex(self, true, 'linalg.inv')",
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}}},
  doc = "The inverse of square matrices (linalg.inv).",
  details = "self is (..., N, N); a singular matrix is an error. To solve A X = B, linalg.solve is faster and more accurate than the inverse.",
}
op "inv_ex" {
  "(Tensor A, *, bool check_errors=false) -> (Tensor inverse, Tensor info)",
  forms = {"linalg"}, composite = "_linalg_inv_ex(A, check_errors, 'linalg.inv_ex')",
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}}},
  doc = "The inverse; info is 0, or the place (from 1) of a zero on the diagonal of its LU factors.",
}
op "_linalg_solve_ex" {
  "(Tensor A, Tensor B, bool left, bool check_errors, string name) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)",
  forms = {}, host = "without library",
  backward = "tocha_solve_backward", differentiable = {"A", "B"}, saves = {"A", "result", "LU", "pivots"}, graphless = {"LU"},
  sample = {{3, 3, dominant = true}, {3, 2}, true, false, "linalg.solve"},
  doc = "The solution, the LU factors it was found with, and info.",
}
op "solve" {
  "(Tensor A, Tensor B, *, bool left=true) -> Tensor",
  forms = {"linalg"}, composite = "_linalg_solve_ex(A, B, left, true, 'torch.linalg.solve')",
  samples = {{{3, 3, dominant = true}, {3, 2}}, {{2, 3, 3, dominant = true}, {3}}, {{3, 3, dominant = true}, {2, 4, 3}, left = false}},
  details = "A is (..., N, N), B (..., N, K) or (..., N), both of the same dtype, float32 or float64. A singular A is an error.",
  doc = "X with A X = B (X A = B if left is false); a B of vectors stands for columns.",
}
op "solve_ex" {
  "(Tensor A, Tensor B, *, bool left=true, bool check_errors=false) -> (Tensor result, Tensor info)",
  forms = {"linalg"}, composite = "_linalg_solve_ex(A, B, left, check_errors, 'torch.linalg.solve_ex')",
  samples = {{{3, 3, dominant = true}, {3, 2}}, {{3, 3, dominant = true}, {2, 4, 3}, left = false}},
  doc = "solve; info is 0, or the place (from 1) of a zero on the diagonal of A's LU factors.",
}
op "lu_solve.linalg" {
  "(Tensor LU, Tensor pivots, Tensor B, *, bool left=true, bool adjoint=false) -> Tensor",
  forms = {"linalg"}, host = "without library", nogradcheck = true,
  constant = {"pivots"},
  backward = "tocha_lu_solve_backward", differentiable = {"LU", "B"}, saves = {"LU", "pivots", "result"},
  samples = {{{3, 3, dominant = true}, {3, dtype = "int32", sorted = true, offset = 1}, {3, 2}},
    {{3, 3, dominant = true}, {3, dtype = "int32", sorted = true, offset = 1}, {2, 4, 3}, left = false, adjoint = true}},
  doc = "X with A X = B (X A = B if left is false; A' with adjoint), given lu_factor(A).",
}
op "lu_solve" {
  "(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
  composite = "lu_solve_linalg(LU_data, LU_pivots, self)", nogradcheck = true,
  sample = {{3, 2}, {3, 3, dominant = true}, {3, dtype = "int32", sorted = true, offset = 1}},
  doc = "X with A X = self, given lu_factor(A).",
}
op "solve_triangular" {
  "(Tensor self, Tensor B, *, bool upper, bool left=true, bool unitriangular=false) -> Tensor",
  forms = {"linalg"}, host = "without library",
  backward = "tocha_solve_triangular_backward", differentiable = {"self", "B"}, saves = {"self", "result"},
  samples = {{{3, 3, dominant = true}, {3, 2}, upper = true}, {{3, 3, dominant = true}, {2, 4, 3, dominant = true}, upper = false, left = false},
    {{3, 3, dominant = true}, {3, 2}, upper = true, unitriangular = true}},
  doc = "X with A X = B (X A = B if left is false) for triangular A, of which one triangle is read.",
}
op "triangular_solve" {
  "(Tensor self, Tensor A, bool upper=true, bool transpose=false, bool unitriangular=false) -> (Tensor solution, Tensor cloned_coefficient)",
  backward = "tocha_triangular_solve_backward", differentiable = {"self", "A"}, saves = {"A", "solution"},
  samples = {{{3, 2}, {3, 3, dominant = true}}, {{3, 2}, {3, 3, dominant = true}, false, true, true}},
  doc = "X with A X = self for triangular A (A' with transpose), and a copy of A.",
}
op "cholesky_solve" {
  "(Tensor self, Tensor input2, bool upper=false) -> Tensor",
  host = "without library", nogradcheck = true,
  backward = "tocha_cholesky_solve_backward", differentiable = {"self", "input2"}, saves = {"input2", "result"},
  samples = {{{3, 2}, {3, 3, dominant = true}}, {{2, 3, 2}, {3, 3, dominant = true}, true}},
  doc = "X with A X = self, given A's Cholesky factor.",
  details = "The factor is that of linalg.cholesky: lower, or upper with upper = true. self is (..., N, K). It is faster than linalg.solve for a " ..
    "symmetric positive A.",
}
op "cholesky_inverse" {
  "(Tensor self, bool upper=false) -> Tensor",
  host = "without library", nogradcheck = true,
  backward = "tocha_cholesky_inverse_backward", differentiable = {"self"}, saves = {"self", "result"},
  samples = {{{3, 3, dominant = true}}, {{2, 3, 3, dominant = true}, true}},
  doc = "The inverse of A, given its Cholesky factor.",
  details = "The factor is that of linalg.cholesky: lower, or upper with upper = true; both are (..., N, N).",
}
op "lstsq" {
  "(Tensor self, Tensor b, float? rcond, *, string? driver) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)",
  forms = {"linalg"}, host = true,
  backward = "tocha_lstsq_backward", differentiable = {"self", "b"}, saves = {"self", "b", "solution"}, graphless = {"singular_values"},
  samples = {{{4, 3, dominant = true}, {4, 2}}, {{2, 3, 4, dominant = true}, {2, 3, 2}}, {{4, 3, dominant = true}, {4, 2}, driver = "gelsd"}, {{4, 3, dominant = true}, {4, 2}, driver = "gels"}},
  details = "A is (..., M, N), b (..., M, K). driver gels (A has full rank), gelsy, gelsd or gelss. residuals are there if M > N and A has " ..
    "full rank.",
  doc = "X that makes the columns of A X - B as short as can be.",
}
op "_linalg_pinv" {
  "(Tensor self, Tensor? atol, Tensor? rtol, bool hermitian) -> Tensor",
  forms = {},
  backward = "tocha_pinv_backward", differentiable = {"self"}, saves = {"self", "result"},
  constant = {"atol", "rtol"},
  sample = {{4, 3, dominant = true}, hermitian = false},
  doc = "The pseudoinverse.",
}
op "pinv" {
  "(Tensor self, *, float? atol, float? rtol, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{4, 3, dominant = true}}, {{2, 3, 4, dominant = true}}},
  details = "(..., M, N) gives (..., N, M), float32 or float64. For systems of equations torch.linalg.lstsq is better.",
  doc = "The pseudoinverse; singular values up to max(atol, rtol * the largest) count as zero.",
}
op "pinv.rcond" {
  "(Tensor self, float rcond, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, composite = true,
  sample = {{4, 3, dominant = true}, 1e-5},
  doc = "The pseudoinverse; singular values up to rcond * the largest count as zero.",
}
op "pinv.atol_rtol_tensor" {
  "(Tensor self, *, Tensor? atol, Tensor? rtol, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, composite = "_linalg_pinv(self, atol, rtol, hermitian)", nondifferentiable = true,
  sample = {{2, 4, 3, dominant = true}, atol = {2, positive = true}},
  doc = "The pseudoinverse with tolerances for each matrix.",
}
op "pinv.rcond_tensor" {
  "(Tensor self, Tensor rcond, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, composite = true, nondifferentiable = true,
  sample = {{2, 4, 3, dominant = true}, {2, positive = true}},
  doc = "The pseudoinverse with a tolerance for each matrix.",
}
op "pinverse" {
  "(Tensor self, float rcond=1e-15) -> Tensor",
  implementation = "pinv_rcond(self, rcond)",
  composite = true,
  samples = {{{4, 3, dominant = true}}, {{2, 3, 4, dominant = true}}},
  doc = "The pseudoinverse (linalg.pinv).",
  details = "self is (..., M, N), the result (..., N, M). Singular values up to rcond times the largest count as zero.",
}
op "tensorinv" {
  "(Tensor self, int ind=2) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{2, 2, 4, dominant = true}}, {{4, 2, 2, dominant = true}, 1}},
  doc = "The inverse of self as a matrix whose rows are its first ind dimensions, for tensordot.",
}
op "tensorsolve" {
  "(Tensor self, Tensor other, int[]? dims) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{4, 4, dominant = true}, {4}}},
  doc = "X with tensordot(self, X, X.dim()) = other, after dims of self were moved to its end.",
}
