/* half.h: converts float16 and bfloat16, as they are stored, to and from float32, rounding to
 * nearest even. */
#ifndef TOCHA_HALF_H
#define TOCHA_HALF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

static inline uint32_t tocha_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float tocha_float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline float tocha_bfloat16_to_float(uint16_t value) {
  return tocha_float_of_bits((uint32_t)value << 16);
}

static inline uint16_t tocha_float_to_bfloat16(float value) {
  uint32_t bits = tocha_float_bits(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded); /* the same NaN for all */
}

#ifdef __F16C__

static inline float tocha_half_to_float(uint16_t half) { return _cvtsh_ss(half); }
static inline uint16_t tocha_float_to_half(float value) {
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}

#else

static inline float tocha_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31;
  uint32_t fraction = half & 1023;
  if (exponent == 31) return tocha_float_of_bits(sign | 0x7f800000 | fraction << 13);
  if (exponent) return tocha_float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
  float value = (float)fraction * 0x1p-24f; /* subnormal, or zero */
  return sign ? -value : value;
}

static inline uint16_t tocha_float_to_half(float value) {
  uint32_t bits = tocha_float_bits(value), magnitude = bits & 0x7fffffff;
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  if (magnitude > 0x7f800000) return sign | 0x7e00;  /* NaN */
  if (magnitude >= 0x477ff000) return sign | 0x7c00; /* rounds past 65504 */
  if (magnitude < 0x38800000)                        /* subnormal in float16 */
    return sign | (uint16_t)nearbyintf(fabsf(value) * 0x1p24f);
  uint32_t rounded = magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1);
  return sign | (uint16_t)(rounded >> 13);
}

#endif

/* Rounds a float to 16 bits and back, as a sum that is kept in 16 bits is rounded. */
static inline float tocha_through_16_bits(float value, bool bfloat16) {
  return bfloat16 ? tocha_bfloat16_to_float(tocha_float_to_bfloat16(value))
                  : tocha_half_to_float(tocha_float_to_half(value));
}

/* Converts n elements side by side. */
static inline void tocha_halves_to_floats(float *to, const uint16_t *from, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(from + i))));
#endif
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
#endif
  for (; i < n; i++) to[i] = tocha_half_to_float(from[i]);
}

static inline void tocha_floats_to_halves(uint16_t *to, const float *from, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256((__m256i *)(to + i),
                        _mm512_cvtps_ph(_mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128((__m128i *)(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  for (; i < n; i++) to[i] = tocha_float_to_half(from[i]);
}

#endif
