/* plain_reflections.c: LAPACK's orthogonal factors, and the systems solved by them, in plain C, for builds without a library. A
 * reflection is I - tau v v', where the first element of v is one (Householder, 1958). Matrices are column-major; the
 * parameters are LAPACK's (lapack.h). */
#include "ops/linalg/cpu/plain_vectors.h"

extern const tocha_lapack TOCHA_LOOPS(plain_factors);

/* --- one reflection ------------------------------------------------------------------------------------------------ */

/* Replaces x (n) by (beta, v[1], ...) of the reflection that takes x to (beta, 0, ...), and returns the reflection's tau. */
static T reflection_of(int n, T *x) {
  T rest = n > 1 ? length(n - 1, x + 1) : 0;
  if (rest == 0) return 0;
  T beta = -copy_sign(hypotenuse(x[0], rest), x[0]), tau = (beta - x[0]) / beta;
  T size = x[0] - beta;
  for (int i = 1; i < n; i++) x[i] /= size;
  x[0] = beta;
  return tau;
}

/* Replaces c (n, columns) by H c; v[0] counts as 1. */
static void reflect_columns(int n, const T *v, T tau, const matrix *c) {
  for (int j = 0; j < c->columns && tau != 0; j++) {
    T *x = column(c, j), factor = tau * (x[0] + dot(n - 1, v + 1, x + 1));
    x[0] -= factor;
    add_multiple(n - 1, -factor, v + 1, x + 1);
  }
}

/* Replaces c (rows, n) by c H; v[0] counts as 1. work: `rows` elements. */
static void reflect_rows(int n, const T *v, T tau, const matrix *c, T *work) {
  if (tau == 0) return;
  memcpy(work, column(c, 0), (size_t)c->rows * sizeof *work);
  for (int j = 1; j < n; j++) add_multiple(c->rows, v[j], column(c, j), work);
  add_multiple(c->rows, -tau, work, column(c, 0));
  for (int j = 1; j < n; j++) add_multiple(c->rows, -tau * v[j], work, column(c, j));
}

/* --- QR ------------------------------------------------------------------------------------------------------------ */

static void geqrf(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                  const int *lwork, int *info) {
  matrix x = {a, *m, *n, *lda};
  T *scales = tau;
  if (answers_size(work, lwork, 1)) return;
  for (int i = 0; i < *m && i < *n; i++) {
    matrix right = part(&x, i, i + 1, *m - i, *n - i - 1);
    scales[i] = reflection_of(*m - i, element(&x, i, i));
    reflect_columns(*m - i, element(&x, i, i), scales[i], &right);
  }
  *info = 0;
}

static void orgqr(const int *m, const int *n, const int *k, void *a, const int *lda,
                  const void *tau, void *work, const int *lwork, int *info) {
  matrix x = {a, *m, *n, *lda};
  const T *scales = tau;
  if (answers_size(work, lwork, 1)) return;
  for (int c = *k; c < *n; c++) {
    memset(column(&x, c), 0, (size_t)*m * sizeof(T));
    *element(&x, c, c) = 1;
  }
  for (int i = *k - 1; i >= 0; i--) {
    matrix right = part(&x, i, i + 1, *m - i, *n - i - 1);
    reflect_columns(*m - i, element(&x, i, i), scales[i], &right);
    multiply(*m - i - 1, -scales[i], element(&x, i, i) + 1);
    *element(&x, i, i) = 1 - scales[i];
    memset(column(&x, i), 0, (size_t)i * sizeof(T));
  }
  *info = 0;
}

static void ormqr(const char *side, const char *transposed, const int *m, const int *n,
                  const int *k, const void *a, const int *lda, const void *tau, void *c,
                  const int *ldc, void *work, const int *lwork, int *info, size_t side_length,
                  size_t transposed_length) {
  matrix x = {c, *m, *n, *ldc};
  bool left = *side == 'L', forward = left == (*transposed != 'N');
  const T *scales = tau;
  (void)side_length, (void)transposed_length;
  if (answers_size(work, lwork, *m)) return;
  for (int j = 0; j < *k; j++) {
    int i = forward ? j : *k - 1 - j, size = (left ? *m : *n) - i;
    const T *v = (const T *)a + (size_t)i * (size_t)*lda + i;
    matrix changed = left ? part(&x, i, 0, *m - i, *n) : part(&x, 0, i, *m, *n - i);
    if (left)
      reflect_columns(size, v, scales[i], &changed);
    else
      reflect_rows(size, v, scales[i], &changed, work);
  }
  *info = 0;
}

/* --- least squares of full rank ------------------------------------------------------------------------------------ */

/* Returns the number, from 1, of the first zero on the diagonal of r, or 0. */
static int first_zero(const matrix *r) {
  for (int k = 0; k < r->columns; k++)
    if (*element(r, k, k) == 0) return k + 1;
  return 0;
}

/* Replaces b by R^-1 b, or by R'^-1 b. r is upper triangular. */
static void solve_triangle(const matrix *r, bool transposed, const matrix *b) {
  T one = 1;
  TOCHA_LOOPS(plain_factors)
      .trsm("L", "U", transposed ? "T" : "N", "N", &r->columns, &b->columns, &one, r->data, &r->ld,
            b->data, &b->ld, 1, 1, 1, 1);
}

/* Replaces b by Q b, or by Q' b, with the reflections in qr. */
static void apply_q(const matrix *qr, const T *tau, bool transposed, const matrix *b) {
  int lwork = 1, info;
  T unused;
  ormqr("L", transposed ? "T" : "N", &b->rows, &b->columns, &qr->columns, qr->data, &qr->ld, tau,
        b->data, &b->ld, &unused, &lwork, &info, 1, 1);
}

/* Computes LAPACK's gels without transposition. work: the scales, then a transposed copy of a wide matrix. */
static void gels(const char *transposed, const int *m, const int *n, const int *columns, void *a,
                 const int *lda, void *b, const int *ldb, void *work, const int *lwork, int *info,
                 size_t transposed_length) {
  bool wide = *m < *n;
  int k = wide ? *m : *n, rows = wide ? *n : *m, one = 1;
  matrix x = {a, *m, *n, *lda}, right = {b, rows, *columns, *ldb};
  T *tau = work, *turned = tau + k;
  (void)transposed, (void)transposed_length;
  if (answers_size(work, lwork, k + (wide ? rows * k : 0) + 1)) return;
  for (int c = 0; wide && c < rows; c++)
    for (int r = 0; r < k; r++) turned[(size_t)r * (size_t)rows + (size_t)c] = *element(&x, r, c);
  if (wide) x = (matrix){turned, rows, k, rows};
  geqrf(&rows, &k, x.data, &x.ld, tau, NULL, &one, info);
  *info = first_zero(&x);
  if (*info) return;
  if (wide) { /* A' = Q R, so the shortest solution is Q R'^-1 b */
    solve_triangle(&x, true, &right);
    for (int c = 0; c < *columns; c++)
      memset(element(&right, k, c), 0, (size_t)(rows - k) * sizeof(T));
    apply_q(&x, tau, false, &right);
  } else { /* R^-1 Q' b */
    apply_q(&x, tau, true, &right);
    solve_triangle(&x, false, &right);
  }
}

const tocha_lapack TOCHA_LOOPS(plain_reflections) = {
    .geqrf = geqrf, .orgqr = orgqr, .ormqr = ormqr, .gels = gels};
