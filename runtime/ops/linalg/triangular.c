/* triangular.c: systems with triangular matrices. */
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "tensor/copy.h"
#include "tocha/ops/solve_triangular.h"
#include "tocha/ops/transpose.h"

tocha_tensor *tocha_op_solve_triangular(tocha_context *cx, tocha_tensor *self, tocha_tensor *B,
                                        bool upper, bool left, bool unitriangular) {
  const char *name = "linalg.solve_triangular";
  if (!tocha_check_system(cx, self, B, left, name) ||
      !tocha_check_real(cx, self, NULL, "triangular_solve_cpu"))
    return NULL;
  tocha_tensor *a = tocha_copy_matrices(cx, self, true);
  tocha_tensor *b = tocha_as_dtype(cx, B, (tocha_dtype)self->dtype);
  if (!a || !b || !tocha_broadcast_batches(cx, &a, &b)) return NULL;
  tocha_tensor *x = tocha_copy_matrices(cx, b, true);
  if (!x || !tocha_has_elements(x)) return x;
  a = tocha_spaced_matrices(cx, a);
  tocha_stream *stream = tocha_stream_of(cx, x->device);
  if (!a || !stream) return NULL;
  tocha_trsm_args args = {.a = tocha_matrix_batch_of(a),
                          .x = tocha_matrix_batch_of(x),
                          .batch = tocha_matrix_count(x),
                          .dtype = x->dtype,
                          .left = left,
                          .upper = upper,
                          .unit = unitriangular};
  return tocha_launched(cx, stream->kernels->linalg->trsm(stream, &args)) ? x : NULL;
}

bool tocha_op_triangular_solve(tocha_context *cx, tocha_tensor *self, tocha_tensor *A, bool upper,
                               bool transpose, bool unitriangular, tocha_tensor **solution,
                               tocha_tensor **cloned_coefficient) {
  if (self->ndim < 2 || A->ndim < 2) {
    const tocha_tensor *few = self->ndim < 2 ? self : A;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "torch.triangular_solve: Expected %s to have at least 2 dimensions, but it has %d "
               "dimensions instead",
               few == self ? "b" : "A", few->ndim);
    return false;
  }
  if (!tocha_check_linear(cx, self, A, "triangular_solve")) return false;
  tocha_tensor *a = A, *b = self;
  if (!tocha_broadcast_batches(cx, &a, &b)) return false;
  *cloned_coefficient = tocha_copy_matrices(cx, a, true);
  *solution = tocha_solve_triangular_full(cx, transpose ? tocha_transpose(cx, A, -2, -1) : A, self,
                                          upper != transpose, true, unitriangular);
  return *solution && *cloned_coefficient;
}
