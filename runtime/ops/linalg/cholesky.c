/* cholesky.c: Cholesky factors, and solutions and inverses by them. */
#include <string.h>

#include "linalg/implementations.h"
#include "ops/linalg/panels.h"
#include "tensor/copy.h"
#include "tocha/ops/tril.h"
#include "tocha/ops/triu.h"

typedef struct cholesky_job {
  tocha_lapack_job base;
  const tocha_tensor *factor, *x, *info; /* x: of a system; NULL: none */
  const char *uplo;
} cholesky_job;

/* The number, from 1, of the first NaN on the diagonal, which OpenBLAS lets pass for positive; 0: there is none. */
static int first_nan(const tocha_tensor *factor, const char *matrix, int n) {
  for (int i = 0; i < n; i++) {
    size_t at = (size_t)i * ((size_t)n + 1);
    double x = factor->dtype == TOCHA_FLOAT64 ? ((const double *)(const void *)matrix)[at]
                                              : ((const float *)(const void *)matrix)[at];
    if (x != x) return i + 1;
  }
  return 0;
}

static void factor_one(const tocha_lapack_job *base, int64_t i, char *work) {
  const cholesky_job *j = (const cholesky_job *)base;
  int n = (int)tocha_row_count(j->factor);
  char *matrix = (char *)tocha_place(j->factor, 2, i);
  int *info = (int *)tocha_place(j->info, 0, i);
  (void)work;
  tocha_panels_potrf(base, j->uplo, n, matrix, info);
  if (*info == 0) *info = first_nan(j->factor, matrix, n);
}

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
  double n = (double)tocha_row_count(A);
  cholesky_job job = {{.one = factor_one, .lapack = tocha_find_lapack(cx, (tocha_dtype)A->dtype)},
                      *L,
                      NULL,
                      *info,
                      upper ? "U" : "L"};
  return job.base.lapack && tocha_run_lapack(cx, &job.base, (*info)->numel, n * n * n / 3) &&
         (!check_errors || tocha_check_info(cx, *info, name));
}

/* --- systems ------------------------------------------------------------------------------------------------- */

static void solve_one(const tocha_lapack_job *base, int64_t i, char *work) {
  const cholesky_job *j = (const cholesky_job *)base;
  (void)work;
  tocha_panels_potrs(base, j->uplo, (int)tocha_row_count(j->factor), (int)tocha_column_count(j->x),
                     tocha_place(j->factor, 2, i), tocha_place(j->x, 2, i));
}

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
  double n = (double)tocha_row_count(x);
  cholesky_job job = {{.one = solve_one, .lapack = tocha_find_lapack(cx, (tocha_dtype)x->dtype)},
                      factor,
                      x,
                      NULL,
                      upper ? "U" : "L"};
  return job.base.lapack && tocha_run_lapack(cx, &job.base, tocha_matrix_count(x),
                                             n * n * (double)tocha_column_count(x))
             ? x
             : NULL;
}

/* --- inverses ------------------------------------------------------------------------------------------------ */

/* LAPACK leaves one triangle; the other is its mirror image. */
static void invert_one(const tocha_lapack_job *base, int64_t i, char *work) {
  const cholesky_job *j = (const cholesky_job *)base;
  int n = (int)tocha_row_count(j->factor), lda = n > 1 ? n : 1;
  char *a = tocha_place(j->factor, 2, i);
  size_t item = (size_t)tocha_item_size((tocha_dtype)j->factor->dtype);
  (void)work;
  base->lapack->potri(j->uplo, &n, a, &lda, (int *)tocha_place(j->info, 0, i), 1);
  for (int c = 0; c < n; c++)
    for (int r = c + 1; r < n; r++) {
      size_t below = ((size_t)c * (size_t)n + (size_t)r) * item,
             above = ((size_t)r * (size_t)n + (size_t)c) * item;
      bool upper = *j->uplo == 'U';
      memcpy(a + (upper ? below : above), a + (upper ? above : below), item);
    }
}

tocha_tensor *tocha_op_cholesky_inverse(tocha_context *cx, tocha_tensor *self, bool upper) {
  if (!tocha_check_square(cx, self, "cholesky_inverse", "A") ||
      !tocha_check_real(cx, self, NULL, "cholesky_inverse_out_cpu"))
    return NULL;
  tocha_tensor *out = tocha_copy_matrices(cx, self, true);
  tocha_tensor *info = tocha_new_numbers(cx, self, TOCHA_INT32);
  if (!out || !info || !tocha_has_elements(out)) return out;
  double n = (double)tocha_row_count(out);
  cholesky_job job = {{.one = invert_one, .lapack = tocha_find_lapack(cx, (tocha_dtype)out->dtype)},
                      out,
                      NULL,
                      info,
                      upper ? "U" : "L"};
  job.base.apart = (tocha_apart){sizeof job, 3, 0};
  return job.base.lapack && tocha_run_lapack(cx, &job.base, info->numel, n * n * n) &&
                 tocha_check_info(cx, info, "cholesky_inverse")
             ? out
             : NULL;
}
