/* element.h: converts values of any type to elements of a typed file's type T (tensor/loops.h),
 * and elements of any type to values. Floating point to integer truncates, and a value out of
 * range becomes the smallest integer. Anything to bool becomes true if it is not zero. */
#ifndef TOCHA_ELEMENT_H
#define TOCHA_ELEMENT_H

#include "tensor/loops.h"
#include "tensor/math/float8.h"
#include "tensor/math/half.h"

/* T's dtype, if it is a float8 dtype. */
#if defined(TOCHA_LOOPS_float8_e4m3fn)
#define TOCHA_LOOPS_FLOAT8 TOCHA_FLOAT8_E4M3FN
#elif defined(TOCHA_LOOPS_float8_e5m2)
#define TOCHA_LOOPS_FLOAT8 TOCHA_FLOAT8_E5M2
#elif defined(TOCHA_LOOPS_float8_e4m3fnuz)
#define TOCHA_LOOPS_FLOAT8 TOCHA_FLOAT8_E4M3FNUZ
#elif defined(TOCHA_LOOPS_float8_e5m2fnuz)
#define TOCHA_LOOPS_FLOAT8 TOCHA_FLOAT8_E5M2FNUZ
#elif defined(TOCHA_LOOPS_float8_e8m0fnu)
#define TOCHA_LOOPS_FLOAT8 TOCHA_FLOAT8_E8M0FNU
#endif

/* Truncates a float to an integer as x86 does; C leaves conversions out of range undefined.
 * Floats are compared as floats, because as doubles they would fill two vectors. */
static inline int64_t tocha_truncate_int64(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}
static inline int32_t tocha_truncate_int32(double x) {
  return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;
}
static inline int64_t tocha_truncate_float_int64(float x) {
  return x >= -0x1p63f && x < 0x1p63f ? (int64_t)x : INT64_MIN;
}
static inline int32_t tocha_truncate_float_int32(float x) {
  return x >= -0x1p31f && x < 0x1p31f ? (int32_t)x : INT32_MIN;
}

#if defined(TOCHA_LOOPS_bool)
static inline T element_of_integer(int64_t x) { return x != 0; }
static inline T element_of_float(float x) { return x != 0; }
static inline T element_of_double(double x) { return x != 0; }
#elif defined(TOCHA_LOOPS_float16)
static inline T element_of_integer(int64_t x) { return tocha_float_to_half((float)x); }
static inline T element_of_float(float x) { return tocha_float_to_half(x); }
static inline T element_of_double(double x) { return tocha_float_to_half((float)x); }
#elif defined(TOCHA_LOOPS_bfloat16)
static inline T element_of_integer(int64_t x) { return tocha_float_to_bfloat16((float)x); }
static inline T element_of_float(float x) { return tocha_float_to_bfloat16(x); }
static inline T element_of_double(double x) { return tocha_float_to_bfloat16((float)x); }
#elif defined(TOCHA_LOOPS_FLOAT8)
static inline T element_of_float(float x) { return tocha_float_to_float8(x, TOCHA_LOOPS_FLOAT8); }
static inline T element_of_integer(int64_t x) { return element_of_float((float)x); }
static inline T element_of_double(double x) { return element_of_float((float)x); }
#elif defined(TOCHA_LOOPS_float32) || defined(TOCHA_LOOPS_float64)
static inline T element_of_integer(int64_t x) { return (T)x; }
static inline T element_of_float(float x) { return (T)x; }
static inline T element_of_double(double x) { return (T)x; }
#elif defined(TOCHA_LOOPS_int64)
static inline T element_of_integer(int64_t x) { return x; }
static inline T element_of_float(float x) { return tocha_truncate_float_int64(x); }
static inline T element_of_double(double x) { return tocha_truncate_int64(x); }
#else
static inline T element_of_integer(int64_t x) { return (T)x; }
static inline T element_of_float(float x) { return (T)tocha_truncate_float_int32(x); }
static inline T element_of_double(double x) { return (T)tocha_truncate_int32(x); }
#endif

/* An element as a number to compute with (value_of), and back (element_of_value). The number is
 * a T, a float for bool and the half types, or an int64_t for integers (TOCHA_LOOPS_INTEGER),
 * which wrap. */
#if defined(TOCHA_LOOPS_bool)
typedef float value;
static inline value value_of(T x) { return x; }
static inline T element_of_value(value x) { return element_of_float(x); }
#elif defined(TOCHA_LOOPS_float16)
typedef float value;
static inline value value_of(T x) { return tocha_half_to_float(x); }
static inline T element_of_value(value x) { return element_of_float(x); }
#elif defined(TOCHA_LOOPS_bfloat16)
typedef float value;
static inline value value_of(T x) { return tocha_bfloat16_to_float(x); }
static inline T element_of_value(value x) { return element_of_float(x); }
#elif defined(TOCHA_LOOPS_FLOAT8)
typedef float value;
static inline value value_of(T x) { return tocha_float8_to_float(x, TOCHA_LOOPS_FLOAT8); }
static inline T element_of_value(value x) { return element_of_float(x); }
#elif defined(TOCHA_LOOPS_float32) || defined(TOCHA_LOOPS_float64)
typedef T value;
static inline value value_of(T x) { return x; }
static inline T element_of_value(value x) { return x; }
#else
#define TOCHA_LOOPS_INTEGER
typedef int64_t value;
static inline value value_of(T x) { return x; }
static inline T element_of_value(value x) { return element_of_integer(x); }
#endif

/* Returns the element at p, of type `from`, converted to T; `from` is a constant. */
static inline __attribute__((always_inline)) T element_from(const char *p, tocha_dtype from) {
  switch (from) {
  case TOCHA_BOOL:
    return element_of_integer(*(const uint8_t *)p != 0);
  case TOCHA_UINT8:
    return element_of_integer(*(const uint8_t *)p);
  case TOCHA_INT8:
    return element_of_integer(*(const int8_t *)p);
  case TOCHA_INT16:
    return element_of_integer(*(const int16_t *)(const void *)p);
  case TOCHA_INT32:
    return element_of_integer(*(const int32_t *)(const void *)p);
  case TOCHA_INT64:
    return element_of_integer(*(const int64_t *)(const void *)p);
  case TOCHA_FLOAT16:
    return element_of_float(tocha_half_to_float(*(const uint16_t *)(const void *)p));
  case TOCHA_BFLOAT16:
    return element_of_float(tocha_bfloat16_to_float(*(const uint16_t *)(const void *)p));
  case TOCHA_FLOAT32:
    return element_of_float(*(const float *)(const void *)p);
  case TOCHA_FLOAT8_E4M3FN:
  case TOCHA_FLOAT8_E5M2:
  case TOCHA_FLOAT8_E4M3FNUZ:
  case TOCHA_FLOAT8_E5M2FNUZ:
  case TOCHA_FLOAT8_E8M0FNU:
    return element_of_float(tocha_float8_to_float(*(const uint8_t *)p, from));
  default:
    return element_of_double(*(const double *)(const void *)p);
  }
}

#endif
