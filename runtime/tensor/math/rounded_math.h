/* rounded_math.h: functions of float32 vectors, evaluated in float64 and rounded once, so that
 * nearly all results are the floats nearest to the true values. PyTorch's x86-64 build computes
 * these functions with a library of that accuracy.
 *
 * vfloat_rounded_exp, _tanh, _log, _log2, _log10, and _erf of erf_math.h accept any x,
 * infinities and NaN included. Each is right to about 2^-40 before it is rounded. */
#ifndef TOCHA_ROUNDED_MATH_H
#define TOCHA_ROUNDED_MATH_H

#include <math.h>

#include "tensor/math/vector_math.h"

#ifdef TOCHA_VECTORS

static inline vuint64 vdouble_bits(vdouble x) {
  vuint64 bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline vdouble vdouble_of_bits(vuint64 bits) {
  vdouble x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#ifdef __clang__
#define UNROLLED _Pragma("unroll")
#else /* GCC does so by itself */
#define UNROLLED
#endif
/* Evaluates the polynomial with these coefficients, the highest power's first. */
static inline vdouble vdouble_polynomial(vdouble x, const double *p, int count) {
  vdouble sum = (vdouble){0} + p[0];
  UNROLLED
  for (int i = 1; i < count; i++) sum = vdouble_fma(sum, x, (vdouble){0} + p[i]);
  return sum;
}
static inline vfloat vfloat_polynomial(vfloat x, const float *p, int count) {
  vfloat sum = (vfloat){0} + p[0];
  UNROLLED
  for (int i = 1; i < count; i++) sum = vfloat_fma(sum, x, (vfloat){0} + p[i]);
  return sum;
}
#undef UNROLLED

/* Returns e^x. x comes from a float, so it is clamped to +-200, beyond which the result no
 * longer matters. x = k log 2 + r with |r| <= log(2) / 2; e^r is its Taylor series up to r^10. */
static inline vdouble vdouble_near_exp(vdouble x) {
  const double shift = 0x1.8p52; /* in x + shift the unit is 1, so its lowest bits are k's */
  const vdouble limit = (vdouble){0} + 200;
  x = vdouble_select(x > limit, limit, vdouble_select(x < -limit, -limit, x));
  vdouble shifted = vdouble_fma(x, (vdouble){0} + 1.4426950408889634074, (vdouble){0} + shift);
  vdouble k = shifted - shift;
  vdouble r = vdouble_fma(k, (vdouble){0} - 0.69314718055994530942, x), r2 = r * r;
#define TERM(n) ((vdouble){0} + 1.0 / (n))
  vdouble high = vdouble_fma(r, TERM(362880.0), TERM(40320.0));
  high = vdouble_fma(r2, TERM(3628800.0), high);
  vdouble middle = vdouble_fma(r, TERM(5040.0), TERM(720.0));
  vdouble low = vdouble_fma(r, TERM(120.0), TERM(24.0));
  vdouble start = vdouble_fma(r, TERM(6.0), TERM(2.0));
#undef TERM
  low = vdouble_fma(r2, vdouble_fma(r2, high, middle), low);
  vdouble series = vdouble_fma(r2, vdouble_fma(r2, low, start), r) + 1;
  return series * vdouble_of_bits((vdouble_bits(shifted) + 1023) << 52);
}

/* Returns tanh x: 1 - 2 / (e^2|x| + 1) with the sign of x, or the Taylor series up to x^7 near
 * 0. */
static inline vdouble vdouble_near_tanh(vdouble x) {
  vdouble size = vdouble_select(x < 0, -x, x), square = x * x;
  vdouble value = 1 - 2 / (vdouble_near_exp(size + size) + 1);
  vdouble series = 1 - square * (1.0 / 3 - square * (2.0 / 15 - square * (17.0 / 315)));
  value = vdouble_select(x < 0, -value, value);
  return vdouble_select(size < 0x1p-6, x * series, value);
}

/* Returns (log x) scale + k unit, where x = 2^k m and sqrt(1/2) <= m < sqrt(2), and log is that
 * of m. With s = (m - 1) / (m + 1), log m = 2 (s + s^3 / 3 + s^5 / 5 + ...). */
static inline vdouble vdouble_near_log(vdouble x, double scale, double unit) {
  const uint64_t root = 0x3fe6a09e667f3bcd; /* the bits of sqrt(1/2) */
  vuint64 bits = vdouble_bits(x);
  vuint64 shifted = (bits - root + ((uint64_t)1024 << 52)) >> 52; /* k + 1024 */
  vdouble k = vdouble_of_bits(shifted | 0x4330000000000000) - (0x1p52 + 1024);
  vdouble m = vdouble_of_bits(bits - ((shifted - 1024) << 52));
  vdouble s = (m - 1) / (m + 1), z = s * s, sum = (vdouble){0} + 1.0 / 15;
  for (int odd = 13; odd > 0; odd -= 2) sum = vdouble_fma(sum, z, (vdouble){0} + 1.0 / odd);
  vdouble value = vdouble_fma(k, (vdouble){0} + unit, s * sum * (2 * scale));
  vdouble zero = {0}, infinite = zero + (double)INFINITY;
  vdouble edge = vdouble_select(x == 0, -infinite, vdouble_select(x < 0, zero + (double)NAN, x));
  return vdouble_select((x > 0) & (x < infinite), value, edge);
}

static inline vfloat vfloat_rounded_exp(vfloat x) {
  return vfloat_of(vdouble_near_exp(vfloat_low(x)), vdouble_near_exp(vfloat_high(x)));
}
static inline vfloat vfloat_rounded_tanh(vfloat x) {
  return vfloat_of(vdouble_near_tanh(vfloat_low(x)), vdouble_near_tanh(vfloat_high(x)));
}
static inline vfloat vfloat_near_log(vfloat x, double scale, double unit) {
  return vfloat_of(vdouble_near_log(vfloat_low(x), scale, unit),
                   vdouble_near_log(vfloat_high(x), scale, unit));
}
static inline vfloat vfloat_rounded_log(vfloat x) {
  return vfloat_near_log(x, 1, 0.69314718055994530942);
}
static inline vfloat vfloat_rounded_log2(vfloat x) {
  return vfloat_near_log(x, 1.4426950408889634074, 1);
}
static inline vfloat vfloat_rounded_log10(vfloat x) {
  return vfloat_near_log(x, 0.43429448190325182765, 0.30102999566398119521);
}

#endif
#endif
