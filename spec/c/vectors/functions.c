/* functions.c: our vector functions on arrays. CMake compiles this file once for each instruction set,
 * never with SLEEF. */
#include "vectors/functions.h"

#include "tensor/math/erf_math.h"

#ifdef TOCHA_VECTORS
/* Define loops over a function of one vector, or of two. */
#define LOOP(vector, type, name)                                                                   \
  static void vector##_##name##_loop(const type *x, const type *y, type *result, int n) {          \
    (void)y;                                                                                       \
    for (int i = 0; i < n; i += (int)(sizeof(vector) / sizeof(type))) {                            \
      vector value;                                                                                \
      memcpy(&value, x + i, sizeof value);                                                         \
      value = vector##_##name(value);                                                              \
      memcpy(result + i, &value, sizeof value);                                                    \
    }                                                                                              \
  }
#define LOOP_OF_TWO(vector, type, name)                                                            \
  static void vector##_##name##_loop(const type *x, const type *y, type *result, int n) {          \
    for (int i = 0; i < n; i += (int)(sizeof(vector) / sizeof(type))) {                            \
      vector value, other;                                                                         \
      memcpy(&value, x + i, sizeof value);                                                         \
      memcpy(&other, y + i, sizeof other);                                                         \
      value = vector##_##name(value, other);                                                       \
      memcpy(result + i, &value, sizeof value);                                                    \
    }                                                                                              \
  }
#define FUNCTION(name) LOOP(vfloat, float, name) LOOP(vdouble, double, name)
#define FUNCTION_OF_TWO(name) LOOP_OF_TWO(vfloat, float, name) LOOP_OF_TWO(vdouble, double, name)
#define ROW(name)                                                                                  \
  { #name, vfloat_##name##_loop, vdouble_##name##_loop }

FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(expm1)
FUNCTION(tanh)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(log1p)
FUNCTION(atanh)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION_OF_TWO(atan2)
FUNCTION_OF_TWO(pow)
FUNCTION_OF_TWO(hypot)
FUNCTION(erf)
FUNCTION(erfc)
#endif

/* The rows are in the order of the functions in vectors_test.c. */
const struct vector_function TOCHA_PASTE(vector_functions_, TOCHA_ISA)[] = {
#ifdef TOCHA_VECTORS
    ROW(exp),          ROW(exp2),  ROW(expm1), ROW(tanh),  ROW(log), ROW(log2), ROW(log10),
    ROW(log1p),        ROW(atanh), ROW(sin),   ROW(cos),   ROW(tan), ROW(asin), ROW(acos),
    ROW(atan),         ROW(atan2), ROW(pow),   ROW(hypot), ROW(erf), ROW(erfc),
#endif
    {NULL, NULL, NULL}};
