/* wide_svd.c: decomposes wide matrices from their own bidiagonal form, as MKL does up to 20 columns a row. From 11/6 columns a
 * row on, gesdd of the reference LAPACK and of OpenBLAS first takes an LQ factorization. The vectors are then made by another
 * number of reflections, and if the difference is odd, they have the other sign. */
#include "ops/linalg/cpu/digits/wide_svd.h"

#include <string.h>

#include "ops/linalg/cpu/batch.h"

int tocha_wide_svd_lwork(const tocha_lapack *lapack, int m, int n) {
  double answer = 1, unused = 0;
  int ask = -1, info, maximum = 3 * m * m + 4 * m;
  lapack->gebrd(&m, &n, &unused, &m, &unused, &unused, &unused, &unused, &answer, &ask, &info);
  int reduce = tocha_answered(lapack, &answer);
  lapack->ormbr("P", "R", "T", &n, &n, &m, &unused, &m, &unused, &unused, &n, &answer, &ask, &info,
                1, 1, 1);
  int apply = tocha_answered(lapack, &answer);
  if (reduce > maximum) maximum = reduce;
  if (apply > maximum) maximum = apply;
  return 3 * m + maximum;
}

/* Sets vh (rows, n) to zeros, with ones on the diagonal below row m. */
static void clear_rows(const tocha_wide_svd *w) {
  size_t item = tocha_dtype_size(w->dtype);
  memset(w->vh, 0, (size_t)w->rows * (size_t)w->n * item);
  for (int i = w->m; i < w->rows; i++)
    tocha_store_scalar((char *)w->vh + ((size_t)i * (size_t)w->rows + (size_t)i) * item, w->dtype,
                       tocha_float(1));
}

void tocha_decompose_wide(const tocha_wide_svd *w) {
  size_t row = (size_t)w->m * tocha_dtype_size(w->dtype);
  char *beside = w->work, *left = beside + row, *right = left + row, *work = right + row;
  int lwork = w->lwork - 3 * w->m, m = w->m, n = w->n, rows = w->rows, unused;
  const tocha_lapack *l = w->lapack;
  l->gebrd(&m, &n, w->a, &m, w->s, beside, left, right, work, &lwork, w->info);
  clear_rows(w);
  l->bdsdc("L", "I", &m, w->s, beside, w->u, &m, w->vh, &rows, work, &unused, work, w->indices,
           w->info, 1, 1);
  if (*w->info) return;
  l->ormbr("Q", "L", "N", &m, &m, &n, w->a, &m, left, w->u, &m, work, &lwork, w->info, 1, 1, 1);
  l->ormbr("P", "R", "T", &rows, &n, &m, w->a, &m, right, w->vh, &rows, work, &lwork, w->info, 1, 1,
           1);
}
