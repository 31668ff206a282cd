/* digits.c: which decompositions are made for their digits. */
#include "ops/linalg/cpu/digits/digits.h"

#include <math.h>

/* MIN_ROWS, MAX_ROWS: of symmetric matrices; beyond 25 rows signs do not follow from rotations. MAX_ELEMENTS: of wide matrices; of larger ones
 * LAPACK's LQ factorization is much faster. */
enum { MIN_ROWS = 3, MAX_ROWS = TOCHA_SMALL_EIGH_ROWS, MAX_ELEMENTS = 1 << 20 };

static bool fits(tocha_linalg_digits of, int64_t m, int64_t n) {
  if (of == TOCHA_DIGITS_OF_EIGH) return n >= MIN_ROWS && n <= MAX_ROWS;
  return m > 1 && m < n && n < 20 * m && m * n <= MAX_ELEMENTS;
}

/* Returns true if no element is NaN, and the largest is of a size for which LAPACK would not scale the matrix. */
static bool is_ordinary(const char *a, int64_t count, tocha_dtype dtype) {
  double maximum = 0;
  for (int64_t k = 0; k < count; k++, a += tocha_dtype_size(dtype)) {
    double x = fabs(tocha_scalar_real(tocha_load_scalar(a, dtype)));
    if (!(x <= maximum)) maximum = x;
    if (isnan(x)) return false;
  }
  return maximum > 1e-12 && maximum < 1e12;
}

bool tocha_wants_digits(const tocha_context *cx) { return cx->digits == TOCHA_DIGITS_PYTORCH; }

bool tocha_digits_apply(tocha_linalg_digits of, int64_t m, int64_t n, const void *a,
                        tocha_dtype dtype) {
  return fits(of, m, n) && (!a || is_ordinary(a, m * n, dtype));
}
