/* step_math.h: the operations of an optimizer's step on one element, shared by the loops of the
 * CPU (step_loops.c: tocha_step_NAME_float, _double) and the kernels of a device (C++: overloads
 * without the type's name).
 *
 * They round where PyTorch's do: x.add(y, alpha), lerp and addcmul fuse multiplication and
 * addition, addcdiv does not. */
#ifndef TOCHA_STEP_MATH_H
#define TOCHA_STEP_MATH_H

#include <math.h>

#if defined(__CUDACC__)
#define STEP_FUNCTION static __host__ __device__ inline
#else
#define STEP_FUNCTION static inline
#endif

#ifdef __cplusplus
#define STEP_NAME(name, T) tocha_step_##name
#define STEP_FUSED_float(a, b, c) fmaf(a, b, c)
#define STEP_FUSED_double(a, b, c) fma(a, b, c)
#else
#define STEP_NAME(name, T) tocha_step_##name##_##T
#if defined(__FMA__) || defined(__aarch64__) || !defined(__x86_64__)
#define STEP_FUSED_float(a, b, c) __builtin_fmaf(a, b, c)
#define STEP_FUSED_double(a, b, c) __builtin_fma(a, b, c)
#else /* a processor without the instruction: PyTorch rounds twice there too */
#define STEP_FUSED_float(a, b, c) ((a) * (b) + (c))
#define STEP_FUSED_double(a, b, c) ((a) * (b) + (c))
#endif
#endif
#define STEP_ROOT_float sqrtf
#define STEP_ROOT_double sqrt

#define DEFINE_STEP_MATH(T)                                                                        \
  /* a + factor * b: weight decay, a move of the parameter, Nesterov's look ahead */               \
  STEP_FUNCTION T STEP_NAME(added, T)(T a, T b, T factor) { return STEP_FUSED_##T(b, factor, a); } \
  /* the way from average to g, `weight` of it */                                                  \
  STEP_FUNCTION T STEP_NAME(lerp, T)(T average, T g, T weight) {                                   \
    T distance = g - average;                                                                      \
    return weight < (T)0.5 ? STEP_FUSED_##T(weight, distance, average)                             \
                           : STEP_FUSED_##T(weight - 1, distance, g);                              \
  }                                                                                                \
  /* beta * average + rest * g^2 */                                                                \
  STEP_FUNCTION T STEP_NAME(square_average, T)(T average, T g, T beta, T rest) {                   \
    return STEP_FUSED_##T(rest * g, g, average * beta);                                            \
  }                                                                                                \
  /* p + factor * numerator / denominator */                                                       \
  STEP_FUNCTION T STEP_NAME(divided, T)(T p, T numerator, T denominator, T factor) {               \
    return p + (factor * numerator) / denominator;                                                 \
  }                                                                                                \
  STEP_FUNCTION T STEP_NAME(momentum, T)(T buffer, T g, T momentum, T rest) {                      \
    return STEP_FUSED_##T(g, rest, buffer * momentum);                                             \
  }                                                                                                \
  STEP_FUNCTION T STEP_NAME(larger, T)(T v, T largest) {                                           \
    return v > largest || v != v ? v : largest;                                                    \
  }                                                                                                \
  STEP_FUNCTION T STEP_NAME(corrected_root, T)(T v, T correction, T eps) {                         \
    return STEP_ROOT_##T(v) / correction + eps;                                                    \
  }                                                                                                \
  STEP_FUNCTION T STEP_NAME(square_added, T)(T sum, T g) { return STEP_FUSED_##T(g, g, sum); }     \
  STEP_FUNCTION T STEP_NAME(root, T)(T v, T eps) { return STEP_ROOT_##T(v) + eps; }                \
  STEP_FUNCTION T STEP_NAME(centered_root, T)(T v, T mean, T eps) {                                \
    return STEP_ROOT_##T(STEP_FUSED_##T(-mean, mean, v)) + eps;                                    \
  }                                                                                                \
  STEP_FUNCTION T STEP_NAME(quotient_momentum, T)(T buffer, T g, T root, T momentum) {             \
    return buffer * momentum + g / root;                                                           \
  }                                                                                                \
  STEP_FUNCTION T STEP_NAME(adadelta, T)(T moved, T v, T g, T eps) {                               \
    return STEP_ROOT_##T(moved + eps) / STEP_ROOT_##T(v + eps) * g;                                \
  }

DEFINE_STEP_MATH(float)
DEFINE_STEP_MATH(double)

#endif
