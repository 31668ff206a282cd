/* cholesky.c: Cholesky factors, and solutions and inverses computed from them. */
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "tensor/copy.h"
#include "tocha/ops/tril.h"
#include "tocha/ops/triu.h"

bool tocha_op__linalg_cholesky_ex(tocha_context *cx, tocha_tensor *A, bool upper, bool check_errors,
                                  const char *name, tocha_tensor **L, tocha_tensor **info) {
  if (!tocha_check_square(cx, A, "linalg.cholesky", "A") ||
      !tocha_check_real(cx, A, "linalg.cholesky", "cholesky_cpu"))
    return false;
  tocha_tensor *triangle = upper ? tocha_triu(cx, A, 0) : tocha_tril(cx, A, 0);
  *L = tocha_copy_matrices(cx, triangle, true);
  *info = tocha_new_numbers(cx, A, TOCHA_INT32);
  if (!*L || !*info) return false;
  if (A->device.type == TOCHA_META || (*info)->numel == 0) return true;
  tocha_stream *stream = tocha_stream_of(cx, A->device);
  tocha_potrf_args args = {.a = tocha_matrix_batch_of(*L),
                           .info = tocha_info_of(*info),
                           .batch = (*info)->numel,
                           .dtype = A->dtype,
                           .upper = upper};
  return stream && tocha_launched(cx, stream->kernels->linalg->potrf(stream, &args)) &&
         (!check_errors || tocha_check_info(cx, *info, TOCHA_FAILS_POSITIVE_DEFINITE, name));
}

/* --- systems ------------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_cholesky_solve(tocha_context *cx, tocha_tensor *self, tocha_tensor *input2,
                                      bool upper) {
  const struct {
    const char *name;
    const tocha_tensor *t;
  } operands[] = {{"b", self}, {"u", input2}};
  for (int i = 0; i < 2; i++)
    if (operands[i].t->ndim < 2)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "%s should have at least 2 dimensions, but has %d dimensions instead",
                        operands[i].name, operands[i].t->ndim);
  if (!tocha_check_linear(cx, self, input2, "cholesky_solve") ||
      !tocha_check_real(cx, self, NULL, "cholesky_solve_cpu"))
    return NULL;
  tocha_tensor *b = self, *factor = tocha_copy_matrices(cx, input2, true);
  if (!factor || !tocha_broadcast_batches(cx, &b, &factor)) return NULL;
  tocha_tensor *x = tocha_copy_matrices(cx, b, true);
  if (!x || !tocha_has_elements(x)) return x;
  factor = tocha_spaced_matrices(cx, factor);
  tocha_stream *stream = tocha_stream_of(cx, x->device);
  if (!factor || !stream) return NULL;
  tocha_potrs_args args = {.factor = tocha_matrix_batch_of(factor),
                           .x = tocha_matrix_batch_of(x),
                           .batch = tocha_matrix_count(x),
                           .dtype = x->dtype,
                           .upper = upper};
  return tocha_launched(cx, stream->kernels->linalg->potrs(stream, &args)) ? x : NULL;
}

/* --- inverses ------------------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_cholesky_inverse(tocha_context *cx, tocha_tensor *self, bool upper) {
  if (!tocha_check_square(cx, self, "cholesky_inverse", "A") ||
      !tocha_check_real(cx, self, NULL, "cholesky_inverse_out_cpu"))
    return NULL;
  tocha_tensor *out = tocha_copy_matrices(cx, self, true);
  tocha_tensor *info = tocha_new_numbers(cx, self, TOCHA_INT32);
  if (!out || !info || !tocha_has_elements(out)) return out;
  tocha_stream *stream = tocha_stream_of(cx, out->device);
  tocha_potri_args args = {.a = tocha_matrix_batch_of(out),
                           .info = tocha_info_of(info),
                           .batch = info->numel,
                           .dtype = out->dtype,
                           .upper = upper};
  return stream && tocha_launched(cx, stream->kernels->linalg->potri(stream, &args)) &&
                 tocha_check_info(cx, info, TOCHA_FAILS_TO_INVERT, "cholesky_inverse")
             ? out
             : NULL;
}
