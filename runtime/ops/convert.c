/* convert.c: the hundred conversions between ten element types, from one template. */
#include "ops/convert.h"

#include <math.h>
#include <string.h>

float tocha_half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, fraction = h & 1023,
           bits;
  if (exponent == 31) {
    bits = sign | 0x7f800000 | fraction << 13;
  } else if (exponent) {
    bits = sign | (exponent + 112) << 23 | fraction << 13;
  } else {
    float value = (float)fraction * 0x1p-24f; /* subnormal, or zero */
    return sign ? -value : value;
  }
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

uint16_t tocha_float_to_half(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;  /* nan */
  if (magnitude >= 0x477ff000) return sign | 0x7c00; /* rounds past 65504 */
  if (magnitude < 0x38800000) {                      /* subnormal in half */
    float scaled = fabsf(value) * 0x1p24f;
    return sign | (uint16_t)nearbyintf(scaled);
  }
  uint32_t rounded = magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1);
  return sign | (uint16_t)(rounded >> 13);
}

float tocha_bfloat16_to_float(uint16_t value) {
  uint32_t bits = (uint32_t)value << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

uint16_t tocha_float_to_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc0;
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* C leaves conversions out of range undefined; these do what x86 does. */
static inline int64_t real_to_int64(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}
static inline int32_t real_to_int32(double x) {
  return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN;
}

/* Loading gives the value in a plain C type; storing takes any plain C type. */
#define LOAD_BOOL(p) (*(const uint8_t *)(p) != 0)
#define LOAD_UINT8(p) (*(const uint8_t *)(p))
#define LOAD_INT8(p) (*(const int8_t *)(p))
#define LOAD_INT16(p) (*(const int16_t *)(p))
#define LOAD_INT32(p) (*(const int32_t *)(p))
#define LOAD_INT64(p) (*(const int64_t *)(p))
#define LOAD_FLOAT16(p) tocha_half_to_float(*(const uint16_t *)(p))
#define LOAD_BFLOAT16(p) tocha_bfloat16_to_float(*(const uint16_t *)(p))
#define LOAD_FLOAT32(p) (*(const float *)(p))
#define LOAD_FLOAT64(p) (*(const double *)(p))

#define IS_REAL(x) _Generic((x), float : 1, double : 1, default : 0)
#define STORE_BOOL(p, x) (*(uint8_t *)(p) = (x) != 0)
#define STORE_UINT8(p, x)                                                                          \
  (*(uint8_t *)(p) = (uint8_t)(IS_REAL(x) ? real_to_int32((double)(x)) : (int64_t)(x)))
#define STORE_INT8(p, x)                                                                           \
  (*(int8_t *)(p) = (int8_t)(IS_REAL(x) ? real_to_int32((double)(x)) : (int64_t)(x)))
#define STORE_INT16(p, x)                                                                          \
  (*(int16_t *)(p) = (int16_t)(IS_REAL(x) ? real_to_int32((double)(x)) : (int64_t)(x)))
#define STORE_INT32(p, x)                                                                          \
  (*(int32_t *)(p) = (int32_t)(IS_REAL(x) ? real_to_int32((double)(x)) : (int64_t)(x)))
#define STORE_INT64(p, x) (*(int64_t *)(p) = IS_REAL(x) ? real_to_int64((double)(x)) : (int64_t)(x))
#define STORE_FLOAT16(p, x) (*(uint16_t *)(p) = tocha_float_to_half((float)(x)))
#define STORE_BFLOAT16(p, x) (*(uint16_t *)(p) = tocha_float_to_bfloat16((float)(x)))
#define STORE_FLOAT32(p, x) (*(float *)(p) = (float)(x))
#define STORE_FLOAT64(p, x) (*(double *)(p) = (double)(x))

#define CONVERTER(target_type, target_size, source_type, source_size)                              \
  static void target_type##_from_##source_type(char *t, int64_t ts, const char *s, int64_t ss,     \
                                               int64_t n) {                                        \
    if (ts == (target_size) && ss == (source_size)) {                                              \
      for (int64_t i = 0; i < n; i++)                                                              \
        STORE_##target_type(t + i * (target_size), LOAD_##source_type(s + i * (source_size)));     \
    } else {                                                                                       \
      for (int64_t i = 0; i < n; i++)                                                              \
        STORE_##target_type(t + i * ts, LOAD_##source_type(s + i * ss));                           \
    }                                                                                              \
  }
#define FROM_ALL(X, target, size)                                                                  \
  X(target, size, BOOL, 1)                                                                         \
  X(target, size, UINT8, 1) X(target, size, INT8, 1) X(target, size, INT16, 2)                     \
      X(target, size, INT32, 4) X(target, size, INT64, 8) X(target, size, FLOAT16, 2)              \
          X(target, size, BFLOAT16, 2) X(target, size, FLOAT32, 4) X(target, size, FLOAT64, 8)
#define TO_ALL(X)                                                                                  \
  FROM_ALL(X, BOOL, 1)                                                                             \
  FROM_ALL(X, UINT8, 1) FROM_ALL(X, INT8, 1) FROM_ALL(X, INT16, 2) FROM_ALL(X, INT32, 4)           \
      FROM_ALL(X, INT64, 8) FROM_ALL(X, FLOAT16, 2) FROM_ALL(X, BFLOAT16, 2)                       \
          FROM_ALL(X, FLOAT32, 4) FROM_ALL(X, FLOAT64, 8)
TO_ALL(CONVERTER)

tocha_converter tocha_conversion(tocha_dtype target, tocha_dtype source) {
#define ENTRY(target_type, target_size, source_type, source_size)                                  \
  [TOCHA_##target_type][TOCHA_##source_type] = target_type##_from_##source_type,
  static const tocha_converter table[TOCHA_DTYPE_COUNT][TOCHA_DTYPE_COUNT] = {TO_ALL(ENTRY)};
  return table[target][source];
}

tocha_scalar tocha_load_scalar(const void *element, tocha_dtype dtype) {
  double real;
  int64_t integer;
  if (tocha_dtype_is_floating(dtype)) {
    tocha_conversion(TOCHA_FLOAT64, dtype)((char *)&real, 8, element, 0, 1);
    return tocha_float(real);
  }
  tocha_conversion(TOCHA_INT64, dtype)((char *)&integer, 8, element, 0, 1);
  return dtype == TOCHA_BOOL ? tocha_boolean(integer != 0) : tocha_int(integer);
}

void tocha_store_scalar(void *element, tocha_dtype dtype, tocha_scalar value) {
  tocha_dtype source = value.kind == TOCHA_SCALAR_FLOAT ? TOCHA_FLOAT64 : TOCHA_INT64;
  tocha_conversion(dtype, source)(element, 0, (const char *)&value.value, 0, 1);
}
