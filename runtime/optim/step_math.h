/* step_math.h: the functions that the rules of optimizers.lua are made of, on one element. In C, T
 * is a type of the file that includes this; in C++ (kernels of a device) these are templates.
 *
 * They round where PyTorch's operators of the same name do: add, lerp and addcmul fuse a
 * multiplication and an addition, addcdiv does not. STEP_ROUND(x): a T as the parameter's type holds it. */
#ifndef TOCHA_STEP_MATH_H
#define TOCHA_STEP_MATH_H

#include <math.h>

#ifndef STEP_ROUND
#define STEP_ROUND(x) (x)
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

STEP_FUNCTION T tocha_step_fma(T a, T b, T c) {
#if defined(__FMA__) || defined(__aarch64__) || !defined(__x86_64__)
  return _Generic(a, float : __builtin_fmaf, default : __builtin_fma)(a, b, c);
#else /* a processor without the instruction: PyTorch rounds twice there too */
  return a * b + c;
#endif
}
STEP_FUNCTION T tocha_step_sqrt(T x) {
  return STEP_ROUND(_Generic(x, float : sqrtf, default : sqrt)(x));
}
STEP_FUNCTION T tocha_step_abs(T x) { return _Generic(x, float : fabsf, default : fabs)(x); }

#endif

/* a + factor * b. In half precision PyTorch rounds the factor and the product, too. */
STEP_FUNCTION T tocha_step_add(T a, T b, T factor) {
#ifdef STEP_IN_HALF
  return STEP_ROUND(a + STEP_ROUND(STEP_ROUND(factor) * b));
#else
  return tocha_step_fma(b, factor, a);
#endif
}

/* the way from a to b, `weight` of it */
STEP_FUNCTION T tocha_step_lerp(T a, T b, T weight) {
  T distance = b - a;
  return STEP_ROUND(weight < (T)0.5 ? tocha_step_fma(weight, distance, a)
                                    : tocha_step_fma(weight - (T)1, distance, b));
}

/* a + factor * x * y */
STEP_FUNCTION T tocha_step_addcmul(T a, T x, T y, T factor) {
  return STEP_ROUND(tocha_step_fma(factor * x, y, a));
}

/* a + factor * x / y */
STEP_FUNCTION T tocha_step_addcdiv(T a, T x, T y, T factor) {
  return STEP_ROUND(a + (factor * x) / y);
}

/* NaN where either is */
STEP_FUNCTION T tocha_step_maximum(T a, T b) { return a > b || a != a ? a : b; }

#endif
