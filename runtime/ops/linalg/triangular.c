/* triangular.c: systems with triangular matrices. */
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "tensor/copy.h"
#include "tocha/ops/solve_triangular.h"
#include "tocha/ops/transpose.h"

typedef struct triangular_job {
  tocha_lapack_job base;
  const tocha_tensor *a, *x;
  bool left, upper, unit;
} triangular_job;

static void solve_one(const tocha_lapack_job *base, int64_t i, char *work) {
  const triangular_job *j = (const triangular_job *)base;
  int m = (int)tocha_row_count(j->x), n = (int)tocha_column_count(j->x),
      size = (int)tocha_row_count(j->a);
  const double one = 1;
  const float one_float = 1;
  (void)work;
  base->lapack->trsm(j->left ? "L" : "R", j->upper ? "U" : "L", "N", j->unit ? "U" : "N", &m, &n,
                     j->x->dtype == TOCHA_FLOAT64 ? (const void *)&one : &one_float,
                     tocha_place(j->a, 2, i), &size, tocha_place(j->x, 2, i), &m, 1, 1, 1, 1);
}

tocha_tensor *tocha_op_solve_triangular(tocha_context *cx, tocha_tensor *self, tocha_tensor *B,
                                        bool upper, bool left, bool unitriangular) {
  const char *name = "linalg.solve_triangular";
  if (!tocha_check_system(cx, self, B, left, name) ||
      !tocha_check_real(cx, self, NULL, "triangular_solve_cpu"))
    return NULL;
  tocha_tensor *a = tocha_copy_matrices(cx, self, true);
  tocha_tensor *b = tocha_as_dtype(cx, B, (tocha_dtype)self->dtype); /* as PyTorch copies it */
  if (!a || !b || !tocha_broadcast_batches(cx, &a, &b)) return NULL;
  tocha_tensor *x = tocha_copy_matrices(cx, b, true);
  if (!x || !tocha_has_elements(x)) return x;
  triangular_job job = {{.one = solve_one, .lapack = tocha_find_lapack(cx, (tocha_dtype)x->dtype)},
                        a,
                        x,
                        left,
                        upper,
                        unitriangular};
  job.base.apart = (tocha_apart){sizeof job, 2, 1};
  double work = (double)x->numel / (double)tocha_matrix_count(x) * (double)tocha_row_count(a) / 2;
  return job.base.lapack && tocha_run_lapack(cx, &job.base, tocha_matrix_count(x), work) ? x : NULL;
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
