/* digits.c: selects the decompositions that need code of their own for MKL's signs. */
#include "ops/linalg/cpu/digits/digits.h"

#include <math.h>

/* MIN_ROWS: minimum rows of symmetric matrices. Beyond TOCHA_SMALL_EIGH_ROWS rows signs do not follow from rotations.
 * MAX_ELEMENTS: maximum elements of wide matrices, because LAPACK's LQ factorization is much faster for larger ones. */
enum { MIN_ROWS = 3, MAX_ELEMENTS = 1 << 20 };

bool tocha_needs_mkl_signs(const tocha_context *cx, tocha_decomposition kind, int64_t m,
                           int64_t n) {
  if (cx->digits == TOCHA_DIGITS_FAST) return false;
  if (kind == TOCHA_EIGH) return n >= MIN_ROWS && n <= TOCHA_SMALL_EIGH_ROWS;
  return m > 1 && m < n && n < 20 * m && m * n <= MAX_ELEMENTS;
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
