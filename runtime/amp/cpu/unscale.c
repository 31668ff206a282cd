/* unscale.c: the loop of unscale.h. */
#include "amp/cpu/unscale.h"

#include <string.h>

#ifdef TOCHA_LOOPS_float32
typedef uint32_t bits_of_T;
static const bits_of_T exponent = 0x7F800000u;
#else
typedef uint64_t bits_of_T;
static const bits_of_T exponent = 0x7FF0000000000000u;
#endif

static bool scale(void *data, int64_t n, double factor) {
  T *restrict x = data;
  const T by = (T)factor;
  bits_of_T bad = 0;
  for (int64_t i = 0; i < n; i++) {
    bits_of_T bits;
    memcpy(&bits, &x[i], sizeof bits);
    bad |= (bits & exponent) == exponent;
    x[i] *= by;
  }
  return bad;
}

const tocha_unscale_loops TOCHA_LOOPS(unscale) = {scale};
