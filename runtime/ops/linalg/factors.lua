-- factors.lua: factorizations of matrices, and functions computed from the factors (the notation: list/read.lua).

-- LU
op "_linalg_lu_factor_ex" {
  "(Tensor A, bool pivot, bool check_errors, string name) -> (Tensor LU, Tensor pivots, Tensor info)",
  forms = {}, host = "without library",
  backward = "tocha_lu_factor_backward", differentiable = {"A"}, saves = {"LU", "pivots"},
  sample = {{3, 3, dominant = true}, true, false, "linalg.lu_factor"},
  doc = "P L U = A, with L and U in one matrix.",
}
op "lu_factor_ex" {
  "(Tensor A, *, bool pivot=true, bool check_errors=false) -> (Tensor LU, Tensor pivots, Tensor info)",
  forms = {"linalg"}, composite = "_linalg_lu_factor_ex(A, pivot, check_errors, 'torch.linalg.lu_factor_ex')",
  samples = {{{3, 3, dominant = true}}, {{2, 4, 3, dominant = true}}},
  doc = "lu_factor; info says where U has a zero on its diagonal.",
}
op "lu_factor" {
  "(Tensor A, *, bool pivot=true) -> (Tensor LU, Tensor pivots)",
  forms = {"linalg"}, composite = "_linalg_lu_factor_ex(A, pivot, true, 'torch.linalg.lu_factor')",
  samples = {{{3, 3, dominant = true}}, {{2, 3, 4, dominant = true}}},
  doc = "The factors of P L U = A in one matrix, and the rows that were exchanged, counted from 1.",
}
op "_linalg_pivots_to_matrix" {
  "(Tensor pivots, Tensor LU) -> Tensor",
  forms = {}, host = "without library", nondifferentiable = true,
  sample = {{3, dtype = "int32"}, {3, 3, dominant = true}},
  doc = "The permutation P of the exchanges, in LU's dtype.",
}
op "lu" {
  "(Tensor A, *, bool pivot=true) -> (Tensor P, Tensor L, Tensor U)",
  forms = {"linalg"},
  backward = "tocha_lu_backward", differentiable = {"A"}, saves = {"P", "L", "U"}, graphless = {"P"},
  samples = {{{3, 3, dominant = true}}, {{2, 4, 3, dominant = true}}, {{3, 4, dominant = true}}},
  doc = "P L U = A: a permutation, a unit lower and an upper triangular matrix.",
}
op "lu_unpack" {
  "(Tensor LU_data, Tensor LU_pivots, bool unpack_data=true, bool unpack_pivots=true) -> (Tensor P, Tensor L, Tensor U)",
  forms = {"torch"},
  backward = "tocha_lu_unpack_backward", differentiable = {"LU_data"}, graphless = {"P"},
  sample = {{3, 4, dominant = true}, {3, dtype = "int32", sorted = true, offset = 1}},
  doc = "P, L and U of what lu_factor returns.",
}

-- determinants
op "_linalg_det" {
  "(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
  forms = {}, host = "without library",
  backward = "tocha_det_backward", differentiable = {"A"}, saves = {"A", "result", "LU", "pivots"}, graphless = {"LU"},
  sample = {{3, 3, dominant = true}},
  doc = "The determinant, and the LU factors that it was read off.",
}
op "det" {
  "(Tensor self) -> Tensor",
  composite = "_linalg_det(self)",
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}}},
  details = "(..., N, N), float32 or float64. A singular matrix has 0. torch.linalg.slogdet does not overflow for large matrices.",
  doc = "The determinant of square matrices.",
}
op "det.linalg" {
  "(Tensor A) -> Tensor",
  forms = {"linalg"}, composite = "_linalg_det(A)",
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}}},
  doc = "The determinant of square matrices.",
}
op "logdet" {
  "(Tensor self) -> Tensor",
  composite = true,
  sample = {{3, 3, dominant = true}},
  doc = "The logarithm of the determinant; NaN if the determinant is negative.",
  details = "self is (..., N, N), the result (...); -inf if a matrix is singular. slogdet has the sign, too.",
}
op "_linalg_slogdet" {
  "(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
  forms = {}, host = "without library",
  tied = true, backward = "tocha_slogdet_backward", differentiable = {"A"}, saves = {"A", "LU", "pivots"}, graphless = {"LU"},
  sample = {{3, 3, dominant = true}},
  doc = "slogdet, and the LU factors that it was read off.",
}
op "slogdet" {
  "(Tensor self) -> (Tensor sign, Tensor logabsdet)",
  composite = "_linalg_slogdet(self)",
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}}},
  doc = "The determinant's sign and the logarithm of its size.",
  details = "Two results, of (..., N, N) both (...). It neither overflows nor underflows where det would; of a singular matrix the sign is 0 and the " ..
    "logarithm -inf.",
}
op "slogdet.linalg" {
  "(Tensor A) -> (Tensor sign, Tensor logabsdet)",
  forms = {"linalg"}, composite = "_linalg_slogdet(A)",
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}}},
  doc = "The determinant's sign and the logarithm of its size.",
}

-- Cholesky
op "_linalg_cholesky_ex" {
  "(Tensor A, bool upper, bool check_errors, string name) -> (Tensor L, Tensor info)",
  forms = {}, host = "without library", nogradcheck = true,
  backward = "tocha_cholesky_backward", differentiable = {"A"}, saves = {"L"},
  sample = {{3, 3, dominant = true}, false, false, "linalg.cholesky"},
  doc = "L L' = A.",
}
op "cholesky" {
  "(Tensor self, *, bool upper=false) -> Tensor",
  forms = {"linalg"}, composite = "_linalg_cholesky_ex(self, upper, true, 'linalg.cholesky')", nogradcheck = true,
  samples = {{{3, 3, dominant = true}}, {{2, 3, 3, dominant = true}, upper = true}},
  details = "(..., N, N), float32 or float64; only one triangle is read. A matrix that is not positive definite is an error that names the " ..
    "order of the minor.",
  doc = "The lower triangular L with L L' = A for symmetric positive-definite A, or the upper L' with upper.",
}
op "cholesky_ex" {
  "(Tensor self, *, bool upper=false, bool check_errors=false) -> (Tensor L, Tensor info)",
  forms = {"linalg"}, composite = "_linalg_cholesky_ex(self, upper, check_errors, 'linalg.cholesky_ex')", nogradcheck = true,
  samples = {{{3, 3, dominant = true}}, {{2, 3, 3, dominant = true}, upper = true}},
  doc = "cholesky; info is the order of the first minor that is not positive.",
}

-- QR
op "qr" {
  "(Tensor A, string mode='reduced') -> (Tensor Q, Tensor R)",
  forms = {"linalg"}, host = "without library",
  backward = "tocha_qr_backward", differentiable = {"A"}, saves = {"Q", "R"},
  samples = {{{4, 3, dominant = true}}, {{2, 3, 4, dominant = true}}, {{4, 3, dominant = true}, "complete"}, {{4, 3, dominant = true}, "r"}},
  details = "(..., M, N), float32 or float64. mode reduced: Q is (M, K) with K = min(M, N); complete: (M, M); r: Q is empty.",
  doc = "Q R = A: orthonormal columns and an upper triangular matrix.",
}

op "geqrf" {
  "(Tensor self) -> (Tensor a, Tensor tau)",
  host = "without library",
  backward = "tocha_grad_no_derivative", differentiable = {"self"},
  samples = {{{4, 3, dominant = true}}, {{2, 3, 4, dominant = true}}},
  doc = "QR factors as LAPACK leaves them: R above, and below the vectors of the reflections whose factors are tau.",
}
op "householder_product" {
  "(Tensor input, Tensor tau) -> Tensor",
  forms = {"linalg"}, host = "without library",
  backward = "tocha_householder_rule", differentiable = {"input", "tau"}, saves = {"input", "tau"},
  samples = {{{4, 3}, {3}}, {{2, 4, 4}, {2, 2}}},
  doc = "The first columns of the product of the reflections that geqrf found.",
}
op "orgqr" {
  "(Tensor self, Tensor input2) -> Tensor",
  composite = "householder_product(self, input2)",
  sample = {{4, 3}, {3}},
  doc = "linalg.householder_product.",
}
op "ormqr" {
  "(Tensor self, Tensor input2, Tensor input3, bool left=true, bool transpose=false) -> Tensor",
  host = "without library",
  backward = "tocha_ormqr_rule", differentiable = {"self", "input2", "input3"}, saves = {"self", "input2", "input3"},
  samples = {{{4, 3}, {3}, {4, 2}}, {{4, 3}, {3}, {4, 2}, true, true}, {{2, 4, 3}, {2, 3}, {2, 2, 4}, false}},
  doc = "Q input3, where Q is the product of the reflections that geqrf found; or Q' input3, or input3 times them.",
}

-- LDL
op "ldl_factor_ex" {
  "(Tensor self, *, bool hermitian=false, bool check_errors=false) -> (Tensor LD, Tensor pivots, Tensor info)",
  forms = {"linalg"}, host = true, nogradcheck = true,
  backward = "tocha_ldl_not_implemented", differentiable = {"self"},
  sample = {{3, 3, dominant = true}},
  doc = "ldl_factor; info says where D has a zero.",
}
op "ldl_factor" {
  "(Tensor self, *, bool hermitian=false) -> (Tensor LD, Tensor pivots)",
  forms = {"linalg"}, composite = "ldl_factor_ex(self, hermitian, true)", nogradcheck = true,
  sample = {{3, 3, dominant = true}},
  doc = "The factors of L D L' = A for symmetric A in one matrix, and the exchanges, counted from 1.",
}
op "ldl_solve" {
  "(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=false) -> Tensor",
  forms = {"linalg"}, host = true, nogradcheck = true,
  backward = "tocha_ldl_not_implemented", differentiable = {"LD", "B"},
  sample = {{3, 3, dominant = true}, {3, dtype = "int32", sorted = true, offset = 1}, {3, 2}},
  doc = "X with A X = B, given ldl_factor(A).",
}

-- singular values
op "_linalg_svd" {
  "(Tensor A, bool full_matrices, bool compute_uv, string? driver, string name) -> (Tensor U, Tensor S, Tensor Vh)",
  forms = {}, host = "without library",
  backward = "tocha_svd_backward", differentiable = {"A"}, saves = {"U", "S", "Vh"},
  sample = {{4, 3, dominant = true}, false, true, name = "linalg.svd"},
  doc = "U diag(S) Vh = A.",
}
op "svd.linalg" {
  "(Tensor A, bool full_matrices=true, *, string? driver) -> (Tensor U, Tensor S, Tensor Vh)",
  forms = {"linalg"}, composite = "_linalg_svd(A, full_matrices, true, driver, 'linalg.svd')", nogradcheck = true,
  samples = {{{5, 2}, false}, {{2, 3, 4, dominant = true}, false}, {{3, 3, dominant = true}}, {{3, 2}}},
  details = "(..., M, N), float32 or float64. With full_matrices U is (M, M) and Vh (N, N); without, only the K = min(M, N) columns and rows " ..
    "that S goes with. torch.linalg.svdvals gives S alone. The signs of vectors are not unique, and gradients need distinct singular " ..
    "values.",
  doc = "U diag(S) Vh = A; S in descending order.",
}
op "svd" {
  "(Tensor self, bool some=true, bool compute_uv=true) -> (Tensor U, Tensor S, Tensor V)",
  composite = true, nogradcheck = true,
  samples = {{{5, 2}}, {{2, 3, 4, dominant = true}}},
  doc = "U diag(S) V' = self; S in descending order.",
}
op "svdvals" {
  "(Tensor A, *, string? driver) -> Tensor",
  forms = {"linalg"}, composite = true,
  samples = {{{4, 3, dominant = true}}, {{2, 3, 4, dominant = true}}},
  doc = "The singular values in descending order.",
}

-- eigenvalues of symmetric matrices
op "_linalg_eigh" {
  "(Tensor A, string UPLO, bool compute_v, string name) -> (Tensor eigenvalues, Tensor eigenvectors)",
  forms = {}, host = "without library", nogradcheck = true,
  backward = "tocha_eigh_backward", differentiable = {"A"}, saves = {"eigenvalues", "eigenvectors"},
  sample = {{3, 3, dominant = true}, "L", true, "linalg.eigh"},
  doc = "V diag(L) V' = A for symmetric A.",
}
op "eigh" {
  "(Tensor self, string UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)",
  forms = {"linalg"}, composite = "_linalg_eigh(self, UPLO, true, 'linalg.eigh')", nogradcheck = true,
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}, "U"}},
  details = "(..., N, N), float32 or float64. A = V diag(L) V.mT, the eigenvectors being the columns of V; their signs are not unique. " ..
    "torch.linalg.eigvalsh gives the values alone.",
  doc = "Eigenvalues in ascending order and eigenvectors of symmetric matrices, of which one triangle is read.",
}
op "eigvalsh" {
  "(Tensor self, string UPLO='L') -> Tensor",
  forms = {"linalg"}, composite = true, nogradcheck = true,
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}, "U"}},
  doc = "The eigenvalues of symmetric matrices in ascending order.",
}

-- roots
op "_linalg_lyapunov" {
  "(Tensor H, Tensor Q) -> Tensor",
  forms = {}, nogradcheck = true,
  grad = {Q = "_linalg_lyapunov(H, grad)",
    H = "-(matmul(_linalg_lyapunov(H, grad), transpose(result, -2, -1)) + matmul(transpose(result, -2, -1), _linalg_lyapunov(H, grad)))"},
  sample = {{3, 3, dominant = true}, {3, 3}},
  doc = "X with H X + X H = Q, for symmetric H.",
}
op "matrix_sqrth" {
  "(Tensor input) -> Tensor",
  forms = {"linalg"}, nogradcheck = true,
  grad = {input = "_linalg_lyapunov(result, (grad + transpose(grad, -2, -1)) * 0.5)"},
  samples = {{{3, 3, dominant = true}}, {{2, 4, 4, dominant = true}}},
  doc = "X with X X = input, for symmetric positive definite matrices, of which the lower triangle is read.",
}
op "polar.linalg" {
  "(Tensor A) -> (Tensor U, Tensor H)",
  forms = {"linalg"},
  backward = "tocha_polar_backward", differentiable = {"A"}, saves = {"U", "H"},
  samples = {{{4, 3, dominant = true}}, {{2, 3, 3, dominant = true}}},
  doc = "A = U H: U with orthonormal columns, H symmetric without negative eigenvalues.",
}
