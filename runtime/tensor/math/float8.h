/* float8.h: converts the float8 dtypes, as they are stored, to and from float32, rounding to nearest
 * even. C, and the CUDA backend's C++, include this file, so that both have the same digits. */
#ifndef TOCHA_FLOAT8_H
#define TOCHA_FLOAT8_H

#include <math.h>
#include <string.h>

#include "tocha/types.h"

#ifdef __CUDACC__
#define TOCHA_FLOAT8 __host__ __device__ static inline
#else
#define TOCHA_FLOAT8 static inline
#endif

/* The layout of a float8 dtype that has a sign and a mantissa. */
typedef struct tocha_float8_layout {
  int mantissa;      /* bits */
  int bias;          /* of the exponent */
  uint8_t overflow;  /* the code, without the sign, of numbers beyond the largest one */
  uint8_t nan;       /* the code of NaN, without the sign */
  bool unsigned_nan; /* 0x80 is the only NaN, and there is no -0 and no infinity */
  bool infinities;   /* as in IEEE 754 */
} tocha_float8_layout;

TOCHA_FLOAT8 tocha_float8_layout tocha_float8_layout_of(tocha_dtype dtype) {
  switch (dtype) {
  case TOCHA_FLOAT8_E4M3FN: {
    const tocha_float8_layout e4m3fn = {3, 7, 0x7e, 0x7f, false, false};
    return e4m3fn;
  }
  case TOCHA_FLOAT8_E5M2: {
    const tocha_float8_layout e5m2 = {2, 15, 0x7c, 0x7f, false, true};
    return e5m2;
  }
  case TOCHA_FLOAT8_E4M3FNUZ: {
    const tocha_float8_layout e4m3fnuz = {3, 8, 0x80, 0x80, true, false};
    return e4m3fnuz;
  }
  default: {
    const tocha_float8_layout e5m2fnuz = {2, 16, 0x80, 0x80, true, false};
    return e5m2fnuz;
  }
  }
}

TOCHA_FLOAT8 float tocha_float_of_code(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* float8_e8m0fnu: code c is 2^(c - 127); 255 is NaN. */
TOCHA_FLOAT8 float tocha_exponent_to_float(uint8_t code) {
  if (code == 0xff) return tocha_float_of_code(0x7fc00000);
  return tocha_float_of_code(code ? (uint32_t)code << 23 : 0x00400000);
}

/* The sign is dropped. A number between two powers becomes the nearer one, and in the middle the larger
 * one, except for the middle between 0 and 2^-126. */
TOCHA_FLOAT8 uint8_t tocha_float_to_exponent(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t exponent = bits >> 23 & 0xff, rest = bits & 0x7fffff;
  if (exponent == 0xff) return 0xff;
  const bool up = rest > 0x400000 || (rest == 0x400000 && exponent > 0);
  return (uint8_t)(exponent + up);
}

/* Returns the value of a code; dtype is a constant. */
TOCHA_FLOAT8 float tocha_float8_to_float(uint8_t code, tocha_dtype dtype) {
  if (dtype == TOCHA_FLOAT8_E8M0FNU) return tocha_exponent_to_float(code);
  const tocha_float8_layout f = tocha_float8_layout_of(dtype);
  const uint32_t sign = (uint32_t)(code & 0x80) << 24, magnitude = code & 0x7f;
  if (f.unsigned_nan && code == 0x80) return tocha_float_of_code(0x7fc00000);
  if (!f.unsigned_nan && magnitude > f.overflow) return tocha_float_of_code(sign | 0x7fc00000);
  if (f.infinities && magnitude == f.overflow) return tocha_float_of_code(sign | 0x7f800000);
  const float subnormal =
      (float)magnitude * tocha_float_of_code((uint32_t)(128 - f.bias - f.mantissa) << 23);
  uint32_t bits;
  memcpy(&bits, &subnormal, sizeof bits);
  if (magnitude >> f.mantissa)
    bits = (magnitude << (23 - f.mantissa)) + ((uint32_t)(127 - f.bias) << 23);
  return tocha_float_of_code(sign | bits);
}

/* Returns the code of the nearest number; dtype is a constant. */
TOCHA_FLOAT8 uint8_t tocha_float_to_float8(float value, tocha_dtype dtype) {
  if (dtype == TOCHA_FLOAT8_E8M0FNU) return tocha_float_to_exponent(value);
  const tocha_float8_layout f = tocha_float8_layout_of(dtype);
  const int dropped = 23 - f.mantissa;
  const uint32_t rebias = (uint32_t)(127 - f.bias) << 23;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
  uint32_t code;
  if (magnitude <
      rebias + ((uint32_t)1 << 23)) /* subnormal, or rounds up to the first normal one */
    code = (uint32_t)rintf(tocha_float_of_code(magnitude) *
                           tocha_float_of_code((uint32_t)(126 + f.bias + f.mantissa) << 23));
  else
    code = (magnitude - rebias + ((uint32_t)1 << (dropped - 1)) - 1 + (magnitude >> dropped & 1)) >>
           dropped;
  if (magnitude > 0x7f800000)
    code = f.nan;
  else if (code > (f.unsigned_nan ? 0x7f : f.overflow))
    code = f.overflow;
  return (uint8_t)(f.unsigned_nan && (code == 0 || code == 0x80) ? code : sign | code);
}

#endif
