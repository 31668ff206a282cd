/* functions.h: elementary functions on vectors of floats and doubles, used if SLEEF was not found.
 *
 * vfloat_NAME and vdouble_NAME accept any number, infinities and NaN included. Their errors are
 * below 1 ULP (erfc of a double: 1.25); spec/c/vectors_test.c states the limits. A lane that the
 * vector code does not cover, such as the sine of a huge number, is computed by the C library. */
#ifndef TOCHA_VECTOR_FUNCTIONS_H
#define TOCHA_VECTOR_FUNCTIONS_H

#include <float.h>
#include <math.h>

#include "tensor/math/quotient_math.h"
#include "tensor/math/rounded_math.h"
#include "tensor/math/vector_math.h"

#ifdef TOCHA_VECTORS
#include "tensor/math/vectors/terms.h"

/* Evaluates the polynomial NAME_terms of the type. */
#define TERMS(name, x) NAME(polynomial)(x, NAME(name##_terms), TERM_COUNT(NAME(name##_terms)))
#define TERM_COUNT(terms) ((int)(sizeof(terms) / sizeof *(terms)))

/* The C library computes lgamma of each lane. */
static inline vfloat vfloat_lgamma(vfloat x) {
  for (int k = 0; k < (int)(sizeof x / sizeof x[0]); k++) x[k] = lgammaf(x[k]);
  return x;
}
static inline vdouble vdouble_lgamma(vdouble x) {
  for (int k = 0; k < (int)(sizeof x / sizeof x[0]); k++) x[k] = lgamma(x[k]);
  return x;
}

/* Define prefix_NAME_left, which calls a function of the C library for the lanes of `value` that are
 * not done. */
#define LEFT(prefix, name, function)                                                               \
  static inline prefix prefix##_##name##_left(prefix##_mask done, prefix value, prefix x) {        \
    for (int k = 0; k < (int)(sizeof x / sizeof x[0]); k++)                                        \
      if (!done[k]) value[k] = function(x[k]);                                                     \
    return value;                                                                                  \
  }
#define LEFT_OF_TWO(prefix, name, function)                                                        \
  static inline prefix prefix##_##name##_left(prefix##_mask done, prefix value, prefix x,          \
                                              prefix y) {                                          \
    for (int k = 0; k < (int)(sizeof x / sizeof x[0]); k++)                                        \
      if (!done[k]) value[k] = function(x[k], y[k]);                                               \
    return value;                                                                                  \
  }
LEFT(vfloat, sin, sinf)
LEFT(vfloat, cos, cosf)
LEFT(vfloat, tan, tanf)
LEFT(vdouble, sin, sin)
LEFT(vdouble, cos, cos)
LEFT(vdouble, tan, tan)
LEFT_OF_TWO(vfloat, atan2, atan2f)
LEFT_OF_TWO(vfloat, pow, powf)
LEFT_OF_TWO(vdouble, atan2, atan2)
LEFT_OF_TWO(vdouble, pow, pow)
LEFT_OF_TWO(vdouble, hypot, hypot)
#undef LEFT
#undef LEFT_OF_TWO

#define NAME(name) vfloat_##name
#define VECTOR vfloat
#define REAL float
#define BITS vuint32
#define CONSTANT(name) FLOAT_##name
#define MANTISSA 23
#define BIAS 127
#define SMALLEST FLT_MIN
#include "tensor/math/vectors/constants.h"
#include "tensor/math/vectors/typed_exact.h"
#include "tensor/math/vectors/typed_exp.h"
#include "tensor/math/vectors/typed_log.h"
#include "tensor/math/vectors/typed_arcs.h"
#undef NAME
#undef VECTOR
#undef REAL
#undef BITS
#undef CONSTANT
#undef MANTISSA
#undef BIAS
#undef SMALLEST

#define NAME(name) vdouble_##name
#define VECTOR vdouble
#define REAL double
#define BITS vuint64
#define CONSTANT(name) DOUBLE_##name
#define MANTISSA 52
#define BIAS 1023
#define SMALLEST DBL_MIN
#include "tensor/math/vectors/typed_exact.h"
#include "tensor/math/vectors/typed_exp.h"
#include "tensor/math/vectors/typed_log.h"
#include "tensor/math/vectors/typed_arcs.h"
#include "tensor/math/vectors/double_sines.h"
#include "tensor/math/vectors/double_power.h"
#include "tensor/math/vectors/double_erf.h"
#include "tensor/math/vectors/float_by_double.h"
#undef NAME
#undef VECTOR
#undef REAL
#undef BITS
#undef CONSTANT
#undef MANTISSA
#undef BIAS
#undef SMALLEST

#undef TERMS
#undef TERM_COUNT
#endif
#endif
