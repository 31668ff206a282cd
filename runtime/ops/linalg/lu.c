/* lu.c: LU factors, and determinants, inverses and solutions computed from them. */
#include "ops/linalg/lu.h"

#include <string.h>

#include "linalg/implementations.h"
#include "tensor/copy.h"
#include "tensor/transfer.h"
#include "tocha/ops/eye.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"

/* --- factors ------------------------------------------------------------------------------------------------- */

/* Factors the matrices of a (..., M, N), or their transposes, by getrf. */
static bool factor(tocha_context *cx, tocha_tensor *a, bool transposed, tocha_lu *out) {
  out->lu = tocha_copy_matrices(cx, transposed ? tocha_transposed(cx, a) : a, true);
  if (!out->lu) return false;
  int64_t m = tocha_row_count(out->lu), n = tocha_column_count(out->lu);
  out->pivots = tocha_new_vectors(cx, out->lu, m < n ? m : n, TOCHA_INT32);
  out->info = tocha_new_numbers(cx, out->lu, TOCHA_INT32);
  if (!out->pivots || !out->info) return false;
  if (a->device.type == TOCHA_META || out->info->numel == 0) return true;
  tocha_stream *stream = tocha_stream_of(cx, a->device);
  tocha_getrf_args args = {.a = tocha_matrix_batch_of(out->lu),
                           .pivots = tocha_vector_batch_of(out->pivots),
                           .info = tocha_info_of(out->info),
                           .batch = out->info->numel,
                           .dtype = a->dtype};
  return stream && tocha_launched(cx, stream->kernels->linalg->getrf(stream, &args));
}

bool tocha_op__linalg_lu_factor_ex(tocha_context *cx, tocha_tensor *A, bool pivot,
                                   bool check_errors, const char *name, tocha_tensor **LU,
                                   tocha_tensor **pivots, tocha_tensor **info) {
  tocha_lu f;
  if (!tocha_check_has_rows(cx, A, "torch.lu_factor") || !tocha_check_real(cx, A, NULL, "lu_cpu"))
    return false;
  if (!pivot) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
    return false;
  }
  if (!factor(cx, A, false, &f)) return false;
  *LU = f.lu;
  *pivots = f.pivots;
  *info = f.info;
  return !check_errors || tocha_check_info(cx, f.info, TOCHA_FAILS_NONZERO_PIVOTS, name);
}

/* --- substitution -------------------------------------------------------------------------------------------- */

/* Returns X with A X = B (left) or X A = B. The factors are those of A, or of its transpose if `transposed`. */
static tocha_tensor *substitute(tocha_context *cx, const tocha_lu *factors, tocha_tensor *b,
                                bool left, bool transposed) {
  tocha_tensor *lu = factors->lu, *pivots = factors->pivots;
  if (!tocha_broadcast_batches(cx, &lu, &b) || !tocha_broadcast_vectors(cx, &pivots, b))
    return NULL;
  tocha_tensor *x = tocha_copy_matrices(cx, b, left);
  if (!x || !tocha_has_elements(x)) return x;
  lu = tocha_spaced_matrices(cx, lu);
  pivots = tocha_spaced_vectors(cx, pivots);
  tocha_stream *stream = tocha_stream_of(cx, x->device);
  if (!lu || !pivots || !stream) return NULL;
  tocha_matrix_batch right = tocha_matrix_batch_of(x);
  if (!left) { /* X A = B is A' X' = B', and a row-major X read by columns is X' */
    right.rows = tocha_column_count(x);
    right.columns = tocha_row_count(x);
  }
  tocha_getrs_args args = {.lu = tocha_matrix_batch_of(lu),
                           .x = right,
                           .pivots = tocha_vector_batch_of(pivots),
                           .batch = tocha_matrix_count(x),
                           .dtype = x->dtype,
                           .transposition =
                               transposed == left ? TOCHA_TRANSPOSED : TOCHA_NOT_TRANSPOSED};
  return tocha_launched(cx, stream->kernels->linalg->getrs(stream, &args)) ? x : NULL;
}

/* Returns -1 if a pivot is less than 1, 1 if one is greater than n, else 0. Kernels exchange the rows that pivots name,
 * unchecked. Pivots of a GPU are copied to the host, for which it waits. Returns 0 if that fails. */
static int compare_pivots(tocha_context *cx, tocha_tensor *rows, int64_t n) {
  if (!tocha_has_elements(rows) || !(rows = tocha_on_host(cx, rows))) return 0;
  const int *pivots = (const int *)(const void *)tocha_bytes(rows);
  int above = 0;
  for (int64_t i = 0; i < rows->numel; i++) {
    if (pivots[i] < 1) return -1;
    if (pivots[i] > n) above = 1;
  }
  return above;
}

static bool check_lu_solve(tocha_context *cx, const tocha_tensor *LU, const tocha_tensor *pivots,
                           const tocha_tensor *B, bool left) {
  const char *name = "linalg.lu_solve";
  if (!tocha_dtype_is_floating(LU->dtype) &&
      !tocha_check_real(cx, LU, "torch.linalg.lu_solve", NULL))
    return false;
  if (LU->dtype != B->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of "
                      "type %s and B of type %s instead",
                      tocha_dtype_scalar_type((tocha_dtype)LU->dtype),
                      tocha_dtype_scalar_type((tocha_dtype)B->dtype));
  if (pivots->dtype != TOCHA_INT32)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  if (!tocha_check_square(cx, LU, "torch.linalg.lu_solve", "A") ||
      !tocha_check_system(cx, LU, B, left, name))
    return false;
  char text[256];
  if (pivots->ndim == 0 || pivots->sizes[pivots->ndim - 1] != tocha_row_count(LU))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "linalg.lu_solve: Number of pivots per batch should be same as the dimension "
                      "of the matrix");
  if (pivots->ndim != LU->ndim - 1 ||
      memcmp(pivots->sizes, LU->sizes, (size_t)pivots->ndim * sizeof *pivots->sizes) != 0)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but "
        "got pivots with shape %s instead",
        tocha_shape_text(pivots->ndim, pivots->sizes, text, sizeof text));
  return tocha_check_real(cx, LU, NULL, "linalg.lu_solve_cpu");
}

tocha_tensor *tocha_op_lu_solve_linalg(tocha_context *cx, tocha_tensor *LU, tocha_tensor *pivots,
                                       tocha_tensor *B, bool left, bool adjoint) {
  if (!check_lu_solve(cx, LU, pivots, B, left)) return NULL;
  tocha_lu f = {tocha_copy_matrices(cx, LU, true), tocha_own_rows(cx, pivots, TOCHA_INT32), NULL};
  if (!f.lu || !f.pivots) return NULL;
  int outside = compare_pivots(cx, f.pivots, tocha_row_count(LU));
  if (outside)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Pivots given to lu_solve must all be %s. Did you properly pass the result "
                      "of lu_factor?",
                      outside < 0 ? "greater or equal to 1" : "smaller or equal to LU.size(-2)");
  return tocha_failed(cx) ? NULL : substitute(cx, &f, B, left, adjoint);
}

/* --- solutions and inverses ---------------------------------------------------------------------------------- */

static bool solve(tocha_context *cx, tocha_tensor *a, tocha_tensor *b, bool left,
                  tocha_tensor **result, tocha_lu *f) {
  bool transposed = tocha_factors_transpose(a);
  if (!factor(cx, a, transposed, f)) return false;
  *result = substitute(cx, f, b, left, transposed);
  return *result != NULL;
}

bool tocha_op__linalg_solve_ex(tocha_context *cx, tocha_tensor *A, tocha_tensor *B, bool left,
                               bool check_errors, const char *name, tocha_tensor **result,
                               tocha_tensor **LU, tocha_tensor **pivots, tocha_tensor **info) {
  const char *words = "linalg.solve";
  bool floating = tocha_dtype_is_floating((tocha_dtype)A->dtype);
  if ((!floating && !tocha_check_real(cx, A, words, NULL)) ||
      !tocha_check_same_dtype(cx, A, B, words))
    return false;
  bool vectors = tocha_holds_vectors(A, B);
  tocha_tensor *b = vectors ? tocha_unsqueeze(cx, B, -1) : B;
  tocha_lu f;
  if (!b || !tocha_check_system(cx, A, b, left, words)) return false;
  if (!left && vectors) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "linalg.solve: Vector broadcasting of the left hand side is not supported for "
               "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)");
    return false;
  }
  if (!tocha_check_real(cx, A, NULL, "lu_cpu") || !solve(cx, A, b, left, result, &f)) return false;
  if (check_errors && !tocha_check_info(cx, f.info, TOCHA_FAILS_TO_SOLVE, name)) return false;
  if (vectors) *result = tocha_squeeze_dim(cx, *result, -1);
  if (vectors && B->ndim > 1) *result = tocha_copy_matrices(cx, *result, true); /* column-major */
  *LU = f.lu;
  *pivots = f.pivots;
  *info = f.info;
  return *result != NULL;
}

bool tocha_op__linalg_inv_ex(tocha_context *cx, tocha_tensor *A, bool check_errors,
                             const char *name, tocha_tensor **inverse, tocha_tensor **info) {
  tocha_lu f;
  if (!tocha_check_square(cx, A, "linalg.inv", "A") || !tocha_check_real(cx, A, "linalg.inv", NULL))
    return false;
  int64_t n = tocha_column_count(A);
  tocha_tensor *one = tocha_eye_full(cx, n, NULL, (tocha_dtype)A->dtype, A->device, false);
  if (!one || !solve(cx, A, one, true, inverse, &f)) return false;
  *info = f.info;
  return !check_errors || tocha_check_info(cx, f.info, TOCHA_FAILS_TO_INVERT, name);
}

/* --- determinants -------------------------------------------------------------------------------------------- */

static bool factor_for_determinant(tocha_context *cx, tocha_tensor *A, const char *name,
                                   const char *kernel, tocha_lu *f) {
  return tocha_check_square(cx, A, name, "A") && tocha_check_real(cx, A, name, kernel) &&
         factor(cx, A, tocha_factors_transpose(A), f);
}

/* Fills value, or sign and logarithm, with the determinants of the matrices that f factors. A result that is not wanted is
 * NULL. */
static bool read_determinants(tocha_context *cx, const tocha_lu *f, tocha_tensor *value,
                              tocha_tensor *sign, tocha_tensor *logarithm) {
  tocha_tensor *any = value ? value : sign;
  if (!tocha_has_elements(any)) return true;
  tocha_stream *stream = tocha_stream_of(cx, any->device);
  tocha_determinant_args args = {.lu = tocha_matrix_batch_of(f->lu),
                                 .pivots = tocha_vector_batch_of(f->pivots),
                                 .value = value ? tocha_bytes(value) : NULL,
                                 .sign = sign ? tocha_bytes(sign) : NULL,
                                 .logarithm = logarithm ? tocha_bytes(logarithm) : NULL,
                                 .batch = any->numel,
                                 .dtype = any->dtype};
  return stream && tocha_launched(cx, stream->kernels->linalg->determinant(stream, &args));
}

bool tocha_op__linalg_det(tocha_context *cx, tocha_tensor *A, tocha_tensor **result,
                          tocha_tensor **LU, tocha_tensor **pivots) {
  tocha_lu f;
  if (!factor_for_determinant(cx, A, "linalg.det", "lu_cpu", &f)) return false;
  *LU = f.lu;
  *pivots = f.pivots;
  *result = tocha_new_numbers(cx, A, (tocha_dtype)A->dtype);
  return *result && read_determinants(cx, &f, *result, NULL, NULL);
}

bool tocha_op__linalg_slogdet(tocha_context *cx, tocha_tensor *A, tocha_tensor **sign,
                              tocha_tensor **logabsdet, tocha_tensor **LU, tocha_tensor **pivots) {
  tocha_lu f;
  if (!factor_for_determinant(cx, A, "linalg.slogdet", NULL, &f)) return false;
  *LU = f.lu;
  *pivots = f.pivots;
  *sign = tocha_new_numbers(cx, A, (tocha_dtype)A->dtype);
  *logabsdet = tocha_new_numbers(cx, A, tocha_dtype_real(A->dtype));
  return *sign && *logabsdet && read_determinants(cx, &f, NULL, *sign, *logabsdet);
}

/* --- factors unpacked ---------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op__linalg_pivots_to_matrix(tocha_context *cx, tocha_tensor *pivots,
                                                tocha_tensor *LU) {
  tocha_tensor *P = tocha_new_matrices(cx, LU, tocha_row_count(LU), tocha_row_count(LU), false);
  tocha_tensor *rows = tocha_own_rows(cx, pivots, TOCHA_INT32);
  if (!P || !rows || !tocha_has_elements(P)) return P;
  if (compare_pivots(cx, rows, tocha_row_count(LU)))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                      "Did you properly pass the result of lu_factor?");
  if (tocha_failed(cx)) return NULL; /* the pivots did not arrive */
  tocha_stream *stream = tocha_stream_of(cx, P->device);
  if (!stream || !tocha_fill_data(cx, P, tocha_int(0))) return NULL;
  tocha_permutation_args args = {.pivots = tocha_vector_batch_of(rows),
                                 .p = tocha_bytes(P),
                                 .batch = tocha_matrix_count(P),
                                 .rows = tocha_row_count(P),
                                 .dtype = P->dtype};
  return tocha_launched(cx, stream->kernels->linalg->permutation(stream, &args)) ? P : NULL;
}
