/* scalar_math.h: the scalar arithmetic of operators, written once for C and for CUDA C++.
 *
 * Formulas (list/formulas.lua) use these names on a value of the compute type: float, double,
 * int64_t or (for bool) uint8_t. */
#ifndef TOCHA_SCALAR_MATH_H
#define TOCHA_SCALAR_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus /* nvcc, or the simulated GPU: the library's functions are overloaded by type */
#ifdef __CUDACC__
#define TOCHA_DEVICE __device__
#else
#define TOCHA_DEVICE
#endif
#define TOCHA_MATH(name, accuracy, x) name(x)
#define TOCHA_MATH2(name, accuracy, x, y) name(x, y)
#define TOCHA_SCALAR_MATH(name, x) name(x)
#define TOCHA_SCALAR_MATH2(name, x, y) name(x, y)
#define SELECT(which, yes, no) ((which) ? (yes) : (no))
#define SELECT_MOSTLY(which, yes, no) SELECT(which, yes, no)
#define TOCHA_ROUNDED(name, x) name(x)
#define NORMAL_CDF(x) ((1 + erf((x)*K(0.70710678118654752440))) * K(0.5))
#define ERF_BY_EXP(x, e) erf(x)
#define FMA(x, y, z) fma(x, y, z)
#define SPREAD(x) ((T)(x))
#else
#include "tensor/math/erf_math.h"
#include "tensor/math/quotient_math.h"
#include "tensor/math/rounded_math.h"
#include "tensor/math/vector_math.h"
#define TOCHA_DEVICE
/* Picks a function by the type of x: a vector of floats, a vector of doubles, a float, or any
 * other. */
#ifdef TOCHA_VECTORS
#define TOCHA_REAL(x, floats, doubles, single, other)                                              \
  _Generic((x), vfloat : floats, vdouble : doubles, float : single, default : other)
#define SPREAD(x) ((T){0} + (x)) /* a number as a T */
#else
#define TOCHA_REAL(x, floats, doubles, single, other) _Generic((x), float : single, default : other)
#define SPREAD(x) ((T)(x))
#endif
#define TOCHA_FUNCTION(name, accuracy, x)                                                          \
  TOCHA_REAL(x, VFLOAT_FUNCTION(name, accuracy), VDOUBLE_FUNCTION(name, accuracy), name##f, name)
#define TOCHA_MATH(name, accuracy, x) TOCHA_FUNCTION(name, accuracy, x)(x)
#define TOCHA_MATH2(name, accuracy, x, y) TOCHA_FUNCTION(name, accuracy, x)(x, y)
#define TOCHA_ROUNDED(name, x)                                                                     \
  TOCHA_REAL(x, VFLOAT_ROUNDED(name), VDOUBLE_FUNCTION(name, u10), tocha_rounded_##name, name)(x)
/* P(X <= x) of the normal distribution */
#define NORMAL_CDF(x)                                                                              \
  TOCHA_REAL(x, vfloat_normal_cdf, vdouble_normal_cdf, tocha_normal_cdf_float, tocha_normal_cdf)(x)
/* erf x, given e = e^-x^2; for floats right to 3e-7 (erf_math.h) */
#define ERF_BY_EXP(x, e)                                                                           \
  TOCHA_REAL(x, vfloat_erf_by_exp, vdouble_erf_by_exp, tocha_erf_by_exp, tocha_erf_without)(x, e)
static inline double tocha_erf_without(double x, double e) {
  (void)e;
  return erf(x);
}
#define SELECT(which, yes, no)                                                                     \
  TOCHA_REAL(yes, vfloat_select, vdouble_select, tocha_select_float, tocha_select_double)          \
  (which, yes, no)
/* SELECT with a costly `no`, which is not evaluated if every lane takes `yes`. Both arms of ?:
 * must have one type, hence SELECT(which, yes, yes): a sum of __m128 has another type than
 * __m128. */
#define SELECT_MOSTLY(which, yes, no)                                                              \
  (TOCHA_REAL(yes, vfloat_all, vdouble_all, tocha_all, tocha_all)(which) ? SELECT(which, yes, yes) \
                                                                         : SELECT(which, yes, no))
static inline bool tocha_all(int which) { return which != 0; }
#define FMA(x, y, z)                                                                               \
  TOCHA_REAL(y, vfloat_fma, vdouble_fma, tocha_fma_float, tocha_fma_double)(x, y, z)
#define TOCHA_SCALAR_ROUNDED(name)                                                                 \
  static inline float tocha_rounded_##name(float x) { return (float)name((double)x); }
static inline float tocha_normal_cdf_float(float x) {
  return (1 + erff(x * 0.70710678118654752440f)) * 0.5f;
}
static inline double tocha_normal_cdf(double x) {
  return (1 + erf(x * 0.70710678118654752440)) * 0.5;
}
TOCHA_SCALAR_ROUNDED(exp)
TOCHA_SCALAR_ROUNDED(tanh)
TOCHA_SCALAR_ROUNDED(erf)
TOCHA_SCALAR_ROUNDED(log)
TOCHA_SCALAR_ROUNDED(log2)
TOCHA_SCALAR_ROUNDED(log10)
#undef TOCHA_SCALAR_ROUNDED
/* Returns a b + c, rounded once if the instruction set can. */
#if defined(__FMA__) || defined(__aarch64__)
static inline float tocha_fma_float(float a, float b, float c) { return fmaf(a, b, c); }
static inline double tocha_fma_double(double a, double b, double c) { return fma(a, b, c); }
#else
static inline float tocha_fma_float(float a, float b, float c) { return a * b + c; }
static inline double tocha_fma_double(double a, double b, double c) { return a * b + c; }
#endif
static inline float tocha_select_float(int which, float yes, float no) { return which ? yes : no; }
static inline double tocha_select_double(int which, double yes, double no) {
  return which ? yes : no;
}
#define TOCHA_SCALAR_MATH(name, x) _Generic((x), float : name##f, default : name)(x)
#define TOCHA_SCALAR_MATH2(name, x, y) _Generic((x), float : name##f, default : name)(x, y)
#endif

/* Formulas whose loop works on vectors may use the following names, + - * /, comparisons inside
 * SELECT, and K(constant). */
#define EXP(x) TOCHA_MATH(exp, u10, x)
#define EXP2(x) TOCHA_MATH(exp2, u10, x)
#define EXPM1(x) TOCHA_MATH(expm1, u10, x)
#define LOG(x) TOCHA_MATH(log, u10, x)
#define LOG2(x) TOCHA_MATH(log2, u10, x)
#define LOG10(x) TOCHA_MATH(log10, u10, x)
#define LOG1P(x) TOCHA_MATH(log1p, u10, x)
#define SIN(x) TOCHA_MATH(sin, u10, x)
#define COS(x) TOCHA_MATH(cos, u10, x)
#define TAN(x) TOCHA_MATH(tan, u10, x)
#define ASIN(x) TOCHA_MATH(asin, u10, x)
#define ACOS(x) TOCHA_MATH(acos, u10, x)
#define ATAN(x) TOCHA_MATH(atan, u10, x)
#define TANH(x) TOCHA_MATH(tanh, u10, x)
#define ATANH(x) TOCHA_MATH(atanh, u10, x)
#define ERFC(x) TOCHA_MATH(erfc, u15, x)
#define LGAMMA(x) TOCHA_MATH(lgamma, u10, x)
#define POW(x, y) TOCHA_MATH2(pow, u10, x, y)
#define ATAN2(x, y) TOCHA_MATH2(atan2, u10, x, y)
#define HYPOT(x, y) TOCHA_MATH2(hypot, u05, x, y)
/* the square root that PyTorch takes of a tensor; SQRT is the correctly rounded one */
#ifdef __cplusplus
#define TENSOR_SQRT(x) sqrt(x)
#else
#define TENSOR_SQRT(x) TOCHA_REAL(x, vfloat_sqrt, vdouble_sqrt, sqrtf, sqrt)(x)
#endif
#define SIGMOID(x) (1 / (1 + EXP(-(x))))
/* Nearly every result is the nearest float: a float is computed in double and rounded once. */
/* FMA(x, y, z) is x y + z, rounded once, for products that PyTorch's compiler contracts.
 * SPREAD(number) is a number as a T. */
#define ROUNDED_EXP(x) TOCHA_ROUNDED(exp, x)
#define ROUNDED_TANH(x) TOCHA_ROUNDED(tanh, x)
#define ROUNDED_ERF(x) TOCHA_ROUNDED(erf, x)
#define ROUNDED_LOG(x) TOCHA_ROUNDED(log, x)
#define ROUNDED_LOG2(x) TOCHA_ROUNDED(log2, x)
#define ROUNDED_LOG10(x) TOCHA_ROUNDED(log10, x)
/* x / y; if a GPU's result is rounded to 16 bits, without care for the last bit of a float */
#ifdef __cplusplus
#define QUOTIENT(x, y) tocha_quotient<S>(x, y) /* S: the type the result is stored in */
#else
#define QUOTIENT(x, y) ((x) / (y))
#endif
/* 0 in the place of x, or NaN if x is not finite; on one element the zero has the sign of
 * x */
#ifdef __cplusplus
#define VANISHED(x) ((x)*0)
#else
#define VANISHED(x) TOCHA_REAL(x, (x) - (x), (x) - (x), (x)*0, (x)*0)
#endif
#define MAGNITUDE(x) SELECT((x) < 0, -(x), (x))
#define K(constant) ((E)(constant)) /* E: the element type */

/* The following work on one element only. */
#define SQRT(x) TOCHA_SCALAR_MATH(sqrt, x)
#define SINH(x) TOCHA_SCALAR_MATH(sinh, x) /* SLEEF's overflow too early */
#define COSH(x) TOCHA_SCALAR_MATH(cosh, x)
#define ASINH(x) TOCHA_SCALAR_MATH(asinh, x)
#define ACOSH(x) TOCHA_SCALAR_MATH(acosh, x)
#define FLOOR(x) TOCHA_SCALAR_MATH(floor, x)
#define CEIL(x) TOCHA_SCALAR_MATH(ceil, x)
#define TRUNC(x) TOCHA_SCALAR_MATH(trunc, x)
#define ROUND(x) TOCHA_SCALAR_MATH(nearbyint, x) /* halves to even */
#define COPYSIGN(x, y) TOCHA_SCALAR_MATH2(copysign, x, y)

/* Returns Python's a % b of floats: the result has the divisor's sign. */
TOCHA_DEVICE static inline double tocha_remainder_real(double a, double b) {
  double r = fmod(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}
/* Returns Python's a // b of floats, as CPython and PyTorch compute it (exact if a / b rounds
 * up). */
TOCHA_DEVICE static inline double tocha_floor_divide_real(double a, double b) {
  if (b == 0) return a / b;
  double mod = fmod(a, b);
  double div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
  if (div == 0) return copysign(0.0, a / b);
  double down = floor(div);
  return div - down > 0.5 ? down + 1 : down;
}
TOCHA_DEVICE static inline float tocha_floor_divide_float(float a, float b) {
  if (b == 0) return a / b;
  float mod = fmodf(a, b);
  float div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
  if (div == 0) return copysignf(0.0f, a / b);
  float down = floorf(div);
  return div - down > 0.5f ? down + 1 : down;
}
TOCHA_DEVICE static inline float tocha_remainder_float(float a, float b) {
  float r = fmodf(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}
/* Raises to a power. Integers wrap, and a negative exponent gives 1, -1 or 0. */
TOCHA_DEVICE static inline int64_t tocha_power_int(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, b = (uint64_t)base;
  for (; exponent; exponent >>= 1, b *= b)
    if (exponent & 1) result *= b;
  return (int64_t)result;
}
/* Computes modulo 2^64 instead of overflowing. */
TOCHA_DEVICE static inline int64_t tocha_wrap_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}
TOCHA_DEVICE static inline int64_t tocha_wrap_sub(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}
TOCHA_DEVICE static inline int64_t tocha_wrap_mul(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
/* Divides integers. Zero divisors are refused before the loop. Below 2^52 a truncated quotient
 * of doubles is exact, and faster on CPUs. The sign of a remainder is tested without a branch,
 * because a branch on data is often mispredicted. */
TOCHA_DEVICE static inline int64_t tocha_divide_int(int64_t a, int64_t b) {
#ifndef __cplusplus
  const uint64_t limit = (uint64_t)1 << 52;
  if (((uint64_t)a + limit < 2 * limit) & ((uint64_t)b + limit < 2 * limit) & (b != 0))
    return (int64_t)((double)a / (double)b);
#endif
  if (b == 0) return 0;
  return b == -1 ? tocha_wrap_sub(0, a) : a / b;
}
TOCHA_DEVICE static inline int64_t tocha_fmod_int(int64_t a, int64_t b) {
  return b == 0 ? 0 : tocha_wrap_sub(a, tocha_wrap_mul(tocha_divide_int(a, b), b));
}
/* Returns 1 if the remainder is not 0 and its sign differs from the divisor's, so that the
 * quotient must still be rounded down. */
TOCHA_DEVICE static inline int64_t tocha_is_off(int64_t remainder, int64_t b) {
  return (remainder != 0) & ((remainder ^ b) < 0);
}
TOCHA_DEVICE static inline int64_t tocha_floor_divide_int(int64_t a, int64_t b) {
  int64_t q = tocha_divide_int(a, b);
  return q - tocha_is_off(tocha_wrap_sub(a, tocha_wrap_mul(q, b)), b);
}
TOCHA_DEVICE static inline int64_t tocha_remainder_int(int64_t a, int64_t b) {
  int64_t r = tocha_fmod_int(a, b);
  return r + (b & -tocha_is_off(r, b));
}
TOCHA_DEVICE static inline int64_t tocha_abs_int(int64_t a) {
  return a < 0 ? tocha_wrap_sub(0, a) : a;
}
/* Returns the greatest common divisor, by Euclid's algorithm. */
TOCHA_DEVICE static inline int64_t tocha_gcd(int64_t a, int64_t b) {
  while (a) {
    int64_t rest = a == -1 ? 0 : b % a;
    b = a;
    a = rest;
  }
  return tocha_abs_int(b);
}
/* Shifts. If `by` is negative or at least 64, a left shift gives 0, and a right shift the sign. */
TOCHA_DEVICE static inline int64_t tocha_shift_left(int64_t a, int64_t by) {
  return by < 0 || by > 63 ? 0 : (int64_t)((uint64_t)a << by);
}
TOCHA_DEVICE static inline int64_t tocha_shift_right(int64_t a, int64_t by) {
  return a >> (by < 0 || by > 63 ? 63 : by);
}

#include "tensor/math/gamma_math.h"
#include "tensor/math/special_math.h"

#ifdef __cplusplus
template <class S, class A, class T> TOCHA_DEVICE static inline T tocha_quotient(A x, T y) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(S) == 2) return __fdividef(x, y);
#endif
  return x / y;
}
/* Overloads by type: int64_t wraps, bool and narrower types compute as T. */
template <class T> TOCHA_DEVICE static inline T tocha_any_add(T a, T b) { return (T)(a + b); }
template <class T> TOCHA_DEVICE static inline T tocha_any_sub(T a, T b) { return (T)(a - b); }
template <class T> TOCHA_DEVICE static inline T tocha_any_mul(T a, T b) { return (T)(a * b); }
TOCHA_DEVICE static inline int64_t tocha_any_add(int64_t a, int64_t b) {
  return tocha_wrap_add(a, b);
}
TOCHA_DEVICE static inline int64_t tocha_any_sub(int64_t a, int64_t b) {
  return tocha_wrap_sub(a, b);
}
TOCHA_DEVICE static inline int64_t tocha_any_mul(int64_t a, int64_t b) {
  return tocha_wrap_mul(a, b);
}
template <class T> TOCHA_DEVICE static inline T tocha_any_muladd(T a, T b, T c) {
  return (T)(a * b + c);
}
TOCHA_DEVICE static inline int64_t tocha_any_muladd(int64_t a, int64_t b, int64_t c) {
  return tocha_wrap_add(tocha_wrap_mul(a, b), c);
}
TOCHA_DEVICE static inline float tocha_any_muladd(float a, float b, float c) {
  return fmaf(a, b, c);
}
TOCHA_DEVICE static inline double tocha_any_muladd(double a, double b, double c) {
  return fma(a, b, c);
}
TOCHA_DEVICE static inline int64_t tocha_any_abs(int64_t a) { return tocha_abs_int(a); }
TOCHA_DEVICE static inline float tocha_any_abs(float a) { return fabsf(a); }
TOCHA_DEVICE static inline double tocha_any_abs(double a) { return fabs(a); }
TOCHA_DEVICE static inline int64_t tocha_any_floor(int64_t a) { return a; }
TOCHA_DEVICE static inline float tocha_any_floor(float a) { return floorf(a); }
TOCHA_DEVICE static inline double tocha_any_floor(double a) { return floor(a); }
TOCHA_DEVICE static inline int64_t tocha_any_ceil(int64_t a) { return a; }
TOCHA_DEVICE static inline float tocha_any_ceil(float a) { return ceilf(a); }
TOCHA_DEVICE static inline double tocha_any_ceil(double a) { return ceil(a); }
TOCHA_DEVICE static inline int64_t tocha_any_trunc(int64_t a) { return a; }
TOCHA_DEVICE static inline float tocha_any_trunc(float a) { return truncf(a); }
TOCHA_DEVICE static inline double tocha_any_trunc(double a) { return trunc(a); }
TOCHA_DEVICE static inline int64_t tocha_any_round(int64_t a) { return a; }
TOCHA_DEVICE static inline float tocha_any_round(float a) { return nearbyintf(a); }
TOCHA_DEVICE static inline double tocha_any_round(double a) { return nearbyint(a); }
TOCHA_DEVICE static inline int64_t tocha_any_remainder(int64_t a, int64_t b) {
  return tocha_remainder_int(a, b);
}
TOCHA_DEVICE static inline float tocha_any_remainder(float a, float b) {
  return tocha_remainder_float(a, b);
}
TOCHA_DEVICE static inline double tocha_any_remainder(double a, double b) {
  return tocha_remainder_real(a, b);
}
TOCHA_DEVICE static inline int64_t tocha_any_floor_divide(int64_t a, int64_t b) {
  return tocha_floor_divide_int(a, b);
}
TOCHA_DEVICE static inline float tocha_any_floor_divide(float a, float b) {
  return tocha_floor_divide_float(a, b);
}
TOCHA_DEVICE static inline double tocha_any_floor_divide(double a, double b) {
  return tocha_floor_divide_real(a, b);
}
TOCHA_DEVICE static inline int64_t tocha_any_trunc_divide(int64_t a, int64_t b) {
  return tocha_divide_int(a, b);
}
TOCHA_DEVICE static inline float tocha_any_trunc_divide(float a, float b) { return truncf(a / b); }
TOCHA_DEVICE static inline double tocha_any_trunc_divide(double a, double b) {
  return trunc(a / b);
}
TOCHA_DEVICE static inline int64_t tocha_any_fmod(int64_t a, int64_t b) {
  return tocha_fmod_int(a, b);
}
TOCHA_DEVICE static inline float tocha_any_fmod(float a, float b) { return fmodf(a, b); }
TOCHA_DEVICE static inline double tocha_any_fmod(double a, double b) { return fmod(a, b); }
TOCHA_DEVICE static inline int64_t tocha_any_power(int64_t a, int64_t b) {
  return tocha_power_int(a, b);
}
TOCHA_DEVICE static inline float tocha_any_power(float a, float b) { return powf(a, b); }
TOCHA_DEVICE static inline double tocha_any_power(double a, double b) { return pow(a, b); }
#define ADD(x, y) tocha_any_add(x, y)
#define SUB(x, y) tocha_any_sub(x, y)
#define MUL(x, y) tocha_any_mul(x, y)
#define MULADD(x, y, z) tocha_any_muladd(x, y, z)
#define ABS(x) tocha_any_abs(x)
#define REMAINDER(x, y) tocha_any_remainder(x, y)
#define FLOOR_DIVIDE(x, y) tocha_any_floor_divide(x, y)
#define TRUNC_DIVIDE(x, y) tocha_any_trunc_divide(x, y)
#define FMOD(x, y) tocha_any_fmod(x, y)
#define ANY_FLOOR(x) tocha_any_floor(x)
#define ANY_CEIL(x) tocha_any_ceil(x)
#define ANY_TRUNC(x) tocha_any_trunc(x)
#define ANY_ROUND(x) tocha_any_round(x)
#define POWER(x, y) tocha_any_power(x, y)
#else
static inline int64_t tocha_wrap_muladd(int64_t a, int64_t b, int64_t c) {
  return tocha_wrap_add(tocha_wrap_mul(a, b), c);
}
static inline float tocha_add_float(float a, float b) { return a + b; }
static inline double tocha_add_double(double a, double b) { return a + b; }
static inline float tocha_sub_float(float a, float b) { return a - b; }
static inline double tocha_sub_double(double a, double b) { return a - b; }
static inline float tocha_mul_float(float a, float b) { return a * b; }
static inline double tocha_mul_double(double a, double b) { return a * b; }
static inline float tocha_trunc_divide_float(float a, float b) { return truncf(a / b); }
static inline double tocha_trunc_divide_double(double a, double b) { return trunc(a / b); }
static inline int64_t tocha_same_int(int64_t a) { return a; }
#define TOCHA_BY_TYPE(x, int_function, float_function, double_function)                            \
  _Generic((x), int64_t : int_function, float : float_function, default : double_function)
#define ADD(x, y) TOCHA_BY_TYPE(x, tocha_wrap_add, tocha_add_float, tocha_add_double)(x, y)
#define SUB(x, y) TOCHA_BY_TYPE(x, tocha_wrap_sub, tocha_sub_float, tocha_sub_double)(x, y)
#define MUL(x, y) TOCHA_BY_TYPE(x, tocha_wrap_mul, tocha_mul_float, tocha_mul_double)(x, y)
/* x y + z; floats are rounded once */
#define MULADD(x, y, z)                                                                            \
  TOCHA_BY_TYPE(x, tocha_wrap_muladd, tocha_fma_float, tocha_fma_double)(x, y, z)
#define ABS(x) TOCHA_BY_TYPE(x, tocha_abs_int, fabsf, fabs)(x)
#define TRUNC_DIVIDE(x, y)                                                                         \
  TOCHA_BY_TYPE(x, tocha_divide_int, tocha_trunc_divide_float, tocha_trunc_divide_double)(x, y)
#define ANY_FLOOR(x) TOCHA_BY_TYPE(x, tocha_same_int, floorf, floor)(x)
#define ANY_CEIL(x) TOCHA_BY_TYPE(x, tocha_same_int, ceilf, ceil)(x)
#define ANY_TRUNC(x) TOCHA_BY_TYPE(x, tocha_same_int, truncf, trunc)(x)
#define ANY_ROUND(x) TOCHA_BY_TYPE(x, tocha_same_int, nearbyintf, nearbyint)(x)
#define POWER(x, y)                                                                                \
  _Generic((x), int64_t : tocha_power_int, default : TOCHA_FUNCTION(pow, u10, x))(x, y)
#ifdef TOCHA_VECTORS
#define TOCHA_OR_VECTOR(x, name, other)                                                            \
  _Generic((x), vfloat : vfloat_##name, vdouble : vdouble_##name, default : other)
#else
#define TOCHA_OR_VECTOR(x, name, other) other
#endif
#define TOCHA_REMAINDER(x)                                                                         \
  TOCHA_BY_TYPE(x, tocha_remainder_int, tocha_remainder_float, tocha_remainder_real)
#define TOCHA_FLOOR_DIVIDE(x)                                                                      \
  TOCHA_BY_TYPE(x, tocha_floor_divide_int, tocha_floor_divide_float, tocha_floor_divide_real)
#define FMOD(x, y) TOCHA_OR_VECTOR(x, fmod, TOCHA_BY_TYPE(x, tocha_fmod_int, fmodf, fmod))(x, y)
#define REMAINDER(x, y) TOCHA_OR_VECTOR(x, remainder, TOCHA_REMAINDER(x))(x, y)
#define FLOOR_DIVIDE(x, y) TOCHA_OR_VECTOR(x, floor_divide, TOCHA_FLOOR_DIVIDE(x))(x, y)
#endif

#endif
