/* ldl.c: factors of symmetric matrices that need not be positive: ldl_factor, ldl_solve. */
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "tensor/copy.h"
#include "tocha/ops/tril.h"

bool tocha_op_ldl_factor_ex(tocha_context *cx, tocha_tensor *self, bool hermitian,
                            bool check_errors, tocha_tensor **LD, tocha_tensor **pivots,
                            tocha_tensor **info) {
  const char *name = "torch.linalg.ldl_factor_ex";
  (void)hermitian; /* a real symmetric matrix is Hermitian, too */
  if (!tocha_check_square(cx, self, name, "A") ||
      !tocha_check_real(cx, self, name, "ldl_factor_kernel_cpu"))
    return false;
  tocha_tensor *lower = tocha_tril(cx, self, 0);
  *LD = lower ? tocha_copy_matrices(cx, lower, true) : NULL;
  *pivots = tocha_new_vectors(cx, self, tocha_row_count(self), TOCHA_INT32);
  *info = tocha_new_numbers(cx, self, TOCHA_INT32);
  if (!*LD || !*pivots || !*info) return false;
  if (!tocha_has_elements(self))
    return !tocha_has_elements(*info) || tocha_fill_data(cx, *info, tocha_int(0));
  tocha_stream *stream = tocha_stream_of(cx, self->device);
  tocha_sytrf_args args = {.a = tocha_matrix_batch_of(*LD),
                           .pivots = tocha_vector_batch_of(*pivots),
                           .info = tocha_info_of(*info),
                           .batch = tocha_matrix_count(self),
                           .dtype = self->dtype};
  return stream && tocha_launched(cx, stream->kernels->linalg->sytrf(stream, &args)) &&
         (!check_errors ||
          tocha_check_info(cx, *info, TOCHA_FAILS_UNKNOWN, "torch.linalg.ldl_factor"));
}

bool tocha_ldl_not_implemented(tocha_backward_frame *f) {
  return tocha_fail(f->cx, TOCHA_RUNTIME_ERROR, "derivative for aten::linalg_%s is not implemented",
                    f->op->lua_name);
}

/* --- ldl_solve ------------------------------------------------------------------------------------------------- */

/* Fails if a pivot names no row, or if negative pivots do not come in pairs. Kernels exchange the rows that pivots name,
 * unchecked. rows: a tensor on the host. */
static bool check_pivots(tocha_context *cx, const tocha_tensor *rows, int64_t n) {
  const int *pivots = (const int *)(const void *)tocha_bytes(rows);
  int64_t halves = 0;
  for (int64_t i = 0; i < rows->numel; i++) {
    int64_t size = pivots[i] < 0 ? -(int64_t)pivots[i] : pivots[i];
    if (size < 1 || size > n)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "Pivots given to ldl_solve must all satisfy |pivot| %s. Did you properly "
                        "pass the result of ldl_factor?",
                        size < 1 ? ">= 1" : "<= LD.size(-2)");
    halves += pivots[i] < 0;
    if ((pivots[i] > 0 || i % n == n - 1) && halves % 2 != 0)
      return tocha_fail(
          cx, TOCHA_RUNTIME_ERROR,
          "Pivots given to ldl_solve must be negative in pairs. Did you properly pass "
          "the result of ldl_factor?");
  }
  return true;
}

static bool check_system(tocha_context *cx, const tocha_tensor *LD, const tocha_tensor *pivots,
                         const tocha_tensor *B) {
  const char *name = "torch.linalg.ldl_solve";
  char text[256];
  int64_t row = -2;
  if (!tocha_check_square(cx, LD, name, "A") || !tocha_check_real(cx, LD, name, NULL)) return false;
  if (LD->dtype != B->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected b and A to have the same dtype, but found b of type %s and A of "
                      "type %s instead.",
                      tocha_dtype_scalar_type((tocha_dtype)B->dtype),
                      tocha_dtype_scalar_type((tocha_dtype)LD->dtype));
  if (!tocha_wrap_dim(cx, &row, B->ndim)) return false;
  if (tocha_row_count(LD) != tocha_row_count(B))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is %lld "
                      "by %lld but each b matrix is %lld by %lld",
                      (long long)tocha_row_count(LD), (long long)tocha_row_count(LD),
                      (long long)tocha_row_count(B), (long long)tocha_column_count(B));
  bool fits = pivots->ndim == LD->ndim - 1;
  for (int d = 0; fits && d < pivots->ndim; d++) fits = pivots->sizes[d] == LD->sizes[d];
  if (!fits)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the "
                      "same, but got pivots with shape %s instead",
                      tocha_shape_text(pivots->ndim, pivots->sizes, text, sizeof text));
  if (!tocha_dtype_is_integer((tocha_dtype)pivots->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.linalg.ldl_solve: Expected pivots to be integers. Got %s",
                      tocha_dtype_scalar_type((tocha_dtype)pivots->dtype));
  return tocha_check_real(cx, LD, NULL, "ldl_solve_kernel_cpu");
}

tocha_tensor *tocha_op_ldl_solve(tocha_context *cx, tocha_tensor *LD, tocha_tensor *pivots,
                                 tocha_tensor *B, bool hermitian) {
  (void)hermitian;
  if (!check_system(cx, LD, pivots, B)) return NULL;
  tocha_tensor *rows = tocha_own_rows(cx, pivots, TOCHA_INT32), *b = B;
  if (!rows || (tocha_has_elements(rows) && !check_pivots(cx, rows, tocha_row_count(LD))))
    return NULL;
  tocha_tensor *a = tocha_copy_matrices(cx, LD, true);
  if (!a || !tocha_broadcast_batches(cx, &a, &b) || !tocha_broadcast_vectors(cx, &rows, b))
    return NULL;
  tocha_tensor *x = tocha_copy_matrices(cx, b, true);
  if (!x || !tocha_has_elements(x)) return x;
  a = tocha_spaced_matrices(cx, a);
  rows = tocha_spaced_vectors(cx, rows);
  tocha_stream *stream = tocha_stream_of(cx, x->device);
  if (!a || !rows || !stream) return NULL;
  tocha_sytrs_args args = {.ld = tocha_matrix_batch_of(a),
                           .x = tocha_matrix_batch_of(x),
                           .pivots = tocha_vector_batch_of(rows),
                           .batch = tocha_matrix_count(x),
                           .dtype = x->dtype};
  return tocha_launched(cx, stream->kernels->linalg->sytrs(stream, &args)) ? x : NULL;
}
