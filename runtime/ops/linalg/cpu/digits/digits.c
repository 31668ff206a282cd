/* digits.c: selects the decompositions that LAPACK's gesdd and syevd do not compute. */
#include "ops/linalg/cpu/digits/digits.h"

#include <math.h>

/* MIN_ROWS: minimum rows of symmetric matrices. Beyond TOCHA_SMALL_EIGH_ROWS rows signs do not follow from rotations.
 * MAX_ELEMENTS: maximum elements of wide matrices, because LAPACK's LQ factorization is much faster for larger ones. FEW_ROWS,
 * FEW_COLUMNS: wide matrices up to so many rows, and columns a row, take 0.6 to 1.0 of gesdd's time. Symmetric ones take 0.94
 * to 1.08 of syevd's. */
enum { MIN_ROWS = 3, MAX_ELEMENTS = 1 << 20, FEW_ROWS = 8, FEW_COLUMNS = 2 };

bool tocha_uses_own_decomposition(const tocha_context *cx, tocha_decomposition kind, int64_t m,
                                  int64_t n) {
  if (kind == TOCHA_EIGH) return n >= MIN_ROWS && n <= TOCHA_SMALL_EIGH_ROWS;
  if (m <= 1 || m >= n) return false;
  if (cx->digits == TOCHA_DIGITS_FAST) return m <= FEW_ROWS && n <= FEW_COLUMNS * m;
  return n < 20 * m && m * n <= MAX_ELEMENTS;
}

bool tocha_is_ordinary(const void *a, int64_t count, tocha_dtype dtype) {
  double maximum = 0;
  const char *at = a;
  for (int64_t k = 0; k < count; k++, at += tocha_dtype_size(dtype)) {
    double x = fabs(tocha_scalar_real(tocha_load_scalar(at, dtype)));
    if (!(x <= maximum)) maximum = x;
    if (isnan(x)) return false;
  }
  return maximum > 1e-12 && maximum < 1e12;
}
