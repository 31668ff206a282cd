/* quotient_math.h: fmod, and Python's % and //, on vectors of floating-point numbers.
 *
 * If q is the integer nearest to |a| / |b|, |a| - q |b| is a floating-point number between -|b|
 * and |b|, so that one fused multiply-add gives it and one addition makes it fmod's result. If q
 * is too large for that, or an operand is infinite or NaN, every lane is computed by the C
 * library. So are all on processors without fused multiply-add. */
#ifndef TOCHA_QUOTIENT_MATH_H
#define TOCHA_QUOTIENT_MATH_H

#include <math.h>

#include "tensor/math/vector_math.h"

#ifdef TOCHA_VECTORS
#define TOCHA_LANES(vector, type) ((int)(sizeof(vector) / sizeof(type)))

static inline vfloat vfloat_copysign(vfloat size, vfloat sign) {
  vfloat_mask a, b;
  memcpy(&a, &size, sizeof a);
  memcpy(&b, &sign, sizeof b);
  a = (a & INT32_MAX) | (b & INT32_MIN);
  memcpy(&size, &a, sizeof a);
  return size;
}
static inline vdouble vdouble_copysign(vdouble size, vdouble sign) {
  vdouble_mask a, b;
  memcpy(&a, &size, sizeof a);
  memcpy(&b, &sign, sizeof b);
  a = (a & INT64_MAX) | (b & INT64_MIN);
  memcpy(&size, &a, sizeof a);
  return size;
}

static inline vfloat vfloat_fmod_lanes(vfloat a, vfloat b) {
  for (int k = 0; k < TOCHA_LANES(vfloat, float); k++) a[k] = fmodf(a[k], b[k]);
  return a;
}
static inline vdouble vdouble_fmod_lanes(vdouble a, vdouble b) {
  for (int k = 0; k < TOCHA_LANES(vdouble, double); k++) a[k] = fmod(a[k], b[k]);
  return a;
}

#if defined(__FMA__) || defined(__aarch64__)
static inline vfloat vfloat_fmod(vfloat a, vfloat b) {
  const float whole = 0x1p23f; /* in x + whole the unit is 1 */
  const vfloat zero = {0};
  vfloat x = vfloat_copysign(a, zero), y = vfloat_copysign(b, zero);
  vfloat q = (x / y + whole) - whole, r = vfloat_fma(-q, y, x);
  if (!vfloat_all((q < whole / 2) & (r == r))) return vfloat_fmod_lanes(a, b);
  return vfloat_copysign(vfloat_select(r < 0, r + y, r), a);
}
static inline vdouble vdouble_fmod(vdouble a, vdouble b) {
  const double whole = 0x1p52;
  const vdouble zero = {0};
  vdouble x = vdouble_copysign(a, zero), y = vdouble_copysign(b, zero);
  vdouble q = (x / y + whole) - whole, r = vdouble_fma(-q, y, x);
  if (!vdouble_all((q < whole / 2) & (r == r))) return vdouble_fmod_lanes(a, b);
  return vdouble_copysign(vdouble_select(r < 0, r + y, r), a);
}
#else
static inline vfloat vfloat_fmod(vfloat a, vfloat b) { return vfloat_fmod_lanes(a, b); }
static inline vdouble vdouble_fmod(vdouble a, vdouble b) { return vdouble_fmod_lanes(a, b); }
#endif

static inline vfloat vfloat_remainder(vfloat a, vfloat b) {
  vfloat r = vfloat_fmod(a, b);
  return vfloat_select((r != 0) & ((b < 0) ^ (r < 0)), r + b, r);
}
static inline vdouble vdouble_remainder(vdouble a, vdouble b) {
  vdouble r = vdouble_fmod(a, b);
  return vdouble_select((r != 0) & ((b < 0) ^ (r < 0)), r + b, r);
}

/* Returns the integer nearest to (a - a mod b) / b, which is an integer but for rounding; of two
 * equally near, the lower. Numbers too large to have a fraction stay as they are. */
static inline vfloat vfloat_floor_divide(vfloat a, vfloat b) {
  const float whole = 0x1p23f;
  const vfloat zero = {0};
  vfloat mod = vfloat_fmod(a, b), plain = a / b, div = (a - mod) / b;
  div = vfloat_select((mod != 0) & ((b < 0) ^ (mod < 0)), div - 1, div);
  vfloat size = vfloat_copysign(div, zero), nearest = vfloat_copysign((size + whole) - whole, div);
  nearest = vfloat_select(nearest - div == 0.5f, nearest - 1, nearest);
  nearest = vfloat_select(size < whole, nearest, div);
  nearest = vfloat_select(div == 0, vfloat_copysign(zero, plain), nearest);
  return vfloat_select(b == 0, plain, nearest);
}
static inline vdouble vdouble_floor_divide(vdouble a, vdouble b) {
  const double whole = 0x1p52;
  const vdouble zero = {0};
  vdouble mod = vdouble_fmod(a, b), plain = a / b, div = (a - mod) / b;
  div = vdouble_select((mod != 0) & ((b < 0) ^ (mod < 0)), div - 1, div);
  vdouble size = vdouble_copysign(div, zero),
          nearest = vdouble_copysign((size + whole) - whole, div);
  nearest = vdouble_select(nearest - div == 0.5, nearest - 1, nearest);
  nearest = vdouble_select(size < whole, nearest, div);
  nearest = vdouble_select(div == 0, vdouble_copysign(zero, plain), nearest);
  return vdouble_select(b == 0, plain, nearest);
}
#undef TOCHA_LANES
#endif

#endif
