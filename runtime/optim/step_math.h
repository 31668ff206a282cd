/* step_math.h: the functions that the rules of optimizers.lua use, on one element. In C, the
 * including file defines T, a type or a vector; in C++ (kernels of a device) these are templates.
 *
 * They round as PyTorch's operators of the same name do: add, lerp and addcmul fuse a
 * multiplication and an addition, addcdiv does not. STEP_ROUND(x) rounds a T to the parameter's
 * type. */
#ifndef TOCHA_STEP_MATH_H
#define TOCHA_STEP_MATH_H

#include <math.h>

#ifndef STEP_ROUND
#define STEP_ROUND(x) (x)
#endif
#ifndef STEP_AVERAGE /* a value that may be kept, and decay from step to step */
#define STEP_AVERAGE(x) (x)
#endif
#ifndef STEP_NUMBER /* if T is a vector, step.c defines these */
#define STEP_NUMBER(x) ((T)(x))
#define STEP_CHOOSE(which, yes, no) ((which) ? (yes) : (no))
#endif

#ifdef __CUDACC__
#define STEP_DEVICE __host__ __device__ inline
#else
#define STEP_DEVICE inline
#endif

#ifdef __cplusplus

#define STEP_FUNCTION template <class T> STEP_DEVICE
static STEP_DEVICE float tocha_step_fma(float a, float b, float c) { return fmaf(a, b, c); }
static STEP_DEVICE double tocha_step_fma(double a, double b, double c) { return fma(a, b, c); }
static STEP_DEVICE float tocha_step_sqrt(float x) { return sqrtf(x); }
static STEP_DEVICE double tocha_step_sqrt(double x) { return sqrt(x); }
static STEP_DEVICE float tocha_step_abs(float x) { return fabsf(x); }
static STEP_DEVICE double tocha_step_abs(double x) { return fabs(x); }

#else

#ifdef __GNUC__
#define STEP_INLINE inline __attribute__((always_inline))
#else
#define STEP_INLINE inline
#endif
#define STEP_FUNCTION static STEP_INLINE

#include "tensor/math/scalar_math.h"
/* Rounds twice on a processor without the instruction, as PyTorch does there. */
STEP_FUNCTION T tocha_step_fma(T a, T b, T c) { return FMA(a, b, c); }
STEP_FUNCTION T tocha_step_sqrt(T x) { return STEP_ROUND(TENSOR_SQRT(x)); }
STEP_FUNCTION T tocha_step_abs(T x) { return MAGNITUDE(x); }

#endif

/* A flag for the last elements of an array on the CPU, which PyTorch's loops process one by one. */
#define STEP_SINGLE 0x80000000u

/* Returns a + factor * b. In half precision PyTorch rounds the factor, and, for elements processed
 * one by one, the product too. */
STEP_FUNCTION T tocha_step_add(T a, T b, T factor, unsigned flags) {
#ifdef STEP_IN_HALF
  T product = STEP_ROUND(factor) * b;
  return STEP_ROUND(a + (flags & STEP_SINGLE ? STEP_ROUND(product) : product));
#else
  (void)flags;
  return STEP_AVERAGE(tocha_step_fma(b, factor, a));
#endif
}

/* Interpolates from a to b with this weight. */
STEP_FUNCTION T tocha_step_lerp(T a, T b, T weight) {
  T distance = b - a;
  return STEP_AVERAGE(
      STEP_ROUND(STEP_CHOOSE(weight < STEP_NUMBER(0.5), tocha_step_fma(weight, distance, a),
                             tocha_step_fma(weight - STEP_NUMBER(1), distance, b))));
}

/* Returns a + factor * x * y. */
STEP_FUNCTION T tocha_step_addcmul(T a, T x, T y, T factor) {
  return STEP_AVERAGE(STEP_ROUND(tocha_step_fma(factor * x, y, a)));
}

/* Returns a + factor * x / y. */
STEP_FUNCTION T tocha_step_addcdiv(T a, T x, T y, T factor) {
  return STEP_ROUND(a + (factor * x) / y);
}

/* Return the maximum (minimum) of a and b, or NaN if either operand is NaN. */
STEP_FUNCTION T tocha_step_maximum(T a, T b) { return STEP_CHOOSE((a > b) | (a != a), a, b); }
STEP_FUNCTION T tocha_step_minimum(T a, T b) { return STEP_CHOOSE((a < b) | (a != a), a, b); }

/* Returns below if x < 0, above if x > 0, else (also if x is NaN) middle. */
STEP_FUNCTION T tocha_step_by_sign(T x, T below, T middle, T above) {
  T rest = STEP_CHOOSE(x > STEP_NUMBER(0), above, middle);
  return STEP_CHOOSE(x < STEP_NUMBER(0), below, rest);
}

#endif
