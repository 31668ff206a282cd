/* convert.c: float16 and bfloat16, scalars, and the choice among convert_loops.c's conversions. */
#include "tensor/convert.h"

#include <math.h>
#include <string.h>
#include "tocha/ops/index_add_.h"

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

/* --- conversions ------------------------------------------------------------------------------------ */

typedef const tocha_converter converters[TOCHA_DTYPE_COUNT][TOCHA_DTYPE_COUNT];
extern converters tocha_converters_baseline;
#ifdef TOCHA_X86_KERNELS
extern converters tocha_converters_avx2;
#ifdef TOCHA_AVX512_KERNELS
extern converters tocha_converters_avx512;
#endif
#endif

tocha_converter tocha_conversion(tocha_dtype target, tocha_dtype source) {
#ifdef TOCHA_X86_KERNELS
#ifdef TOCHA_AVX512_KERNELS
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return tocha_converters_avx512[target][source];
#endif
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return tocha_converters_avx2[target][source];
#endif
  return tocha_converters_baseline[target][source];
}

tocha_scalar tocha_load_scalar(const void *element, tocha_dtype dtype) {
  double real;
  int64_t integer;
  if (tocha_dtype_is_floating(dtype)) {
    tocha_converters_baseline[TOCHA_FLOAT64][dtype]((char *)&real, 8, element, 0, 1);
    return tocha_float(real);
  }
  tocha_converters_baseline[TOCHA_INT64][dtype]((char *)&integer, 8, element, 0, 1);
  return dtype == TOCHA_BOOL ? tocha_boolean(integer != 0) : tocha_int(integer);
}

void tocha_store_scalar(void *element, tocha_dtype dtype, tocha_scalar value) {
  tocha_dtype source = value.kind == TOCHA_SCALAR_FLOAT ? TOCHA_FLOAT64 : TOCHA_INT64;
  tocha_converters_baseline[dtype][source](element, 0, (const char *)&value.value, 0, 1);
}
