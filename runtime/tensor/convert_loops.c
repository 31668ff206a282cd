/* convert_loops.c: the hundred conversions between ten element types, from one template. Compiled
 * once per instruction set. */
#include <math.h>
#include <string.h>

#include "tensor/convert.h"
#include "tensor/math/vector_math.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

/* convert.h's functions, where they can become part of a loop. */
#ifdef __F16C__
static inline float half_to_float(uint16_t half) { return _cvtsh_ss(half); }
static inline uint16_t float_to_half(float value) {
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}
#else
static inline float half_to_float(uint16_t half) { return tocha_half_to_float(half); }
static inline uint16_t float_to_half(float value) { return tocha_float_to_half(value); }
#endif
static inline float bfloat16_to_float(uint16_t value) {
  uint32_t bits = (uint32_t)value << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}
static inline uint16_t float_to_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded);
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
#define LOAD_FLOAT16(p) half_to_float(*(const uint16_t *)(p))
#define LOAD_BFLOAT16(p) bfloat16_to_float(*(const uint16_t *)(p))
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
#define STORE_FLOAT16(p, x) (*(uint16_t *)(p) = float_to_half((float)(x)))
#define STORE_BFLOAT16(p, x) (*(uint16_t *)(p) = float_to_bfloat16((float)(x)))
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
/* clang-format off */
#define FROM_ALL(X, target, size)                                                                  \
  X(target, size, BOOL, 1)                                                                         \
  X(target, size, UINT8, 1)                                                                        \
  X(target, size, INT8, 1)                                                                         \
  X(target, size, INT16, 2)                                                                        \
  X(target, size, INT32, 4)                                                                        \
  X(target, size, INT64, 8) X(target, size, FLOAT16, 2) X(target, size, BFLOAT16, 2)               \
      X(target, size, FLOAT32, 4) X(target, size, FLOAT64, 8)
#define TO_ALL(X)                                                                                  \
  FROM_ALL(X, BOOL, 1)                                                                             \
  FROM_ALL(X, UINT8, 1)                                                                            \
  FROM_ALL(X, INT8, 1)                                                                             \
  FROM_ALL(X, INT16, 2)                                                                            \
  FROM_ALL(X, INT32, 4)                                                                            \
  FROM_ALL(X, INT64, 8) FROM_ALL(X, FLOAT16, 2) FROM_ALL(X, BFLOAT16, 2) FROM_ALL(X, FLOAT32, 4)   \
      FROM_ALL(X, FLOAT64, 8)
/* clang-format on */
TO_ALL(CONVERTER)

#ifdef __F16C__
/* Eight or sixteen at a time between float16 and float32. */
static void half_to_float_run(char *t, int64_t ts, const char *s, int64_t ss, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  if (ts == 4 && ss == 2)
    for (; i + 16 <= n; i += 16)
      _mm512_storeu_ps((float *)t + i,
                       _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(s + i * 2))));
#endif
  if (ts == 4 && ss == 2)
    for (; i + 8 <= n; i += 8)
      _mm256_storeu_ps((float *)t + i,
                       _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(s + i * 2))));
  FLOAT32_from_FLOAT16(t + i * ts, ts, s + i * ss, ss, n - i);
}
static void float_to_half_run(char *t, int64_t ts, const char *s, int64_t ss, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  if (ts == 2 && ss == 4)
    for (; i + 16 <= n; i += 16)
      _mm256_storeu_si256(
          (__m256i *)(t + i * 2),
          _mm512_cvtps_ph(_mm512_loadu_ps((const float *)s + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  if (ts == 2 && ss == 4)
    for (; i + 8 <= n; i += 8)
      _mm_storeu_si128(
          (__m128i *)(t + i * 2),
          _mm256_cvtps_ph(_mm256_loadu_ps((const float *)s + i), _MM_FROUND_TO_NEAREST_INT));
  FLOAT16_from_FLOAT32(t + i * ts, ts, s + i * ss, ss, n - i);
}
#endif

#define ENTRY(target_type, target_size, source_type, source_size)                                  \
  [TOCHA_##target_type][TOCHA_##source_type] = target_type##_from_##source_type,
#define THIS_TABLE TOCHA_PASTE(tocha_converters_, TOCHA_ISA)
extern const tocha_converter THIS_TABLE[TOCHA_DTYPE_COUNT][TOCHA_DTYPE_COUNT];
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif
const tocha_converter THIS_TABLE[TOCHA_DTYPE_COUNT][TOCHA_DTYPE_COUNT] = {
    TO_ALL(ENTRY)
#ifdef __F16C__
        [TOCHA_FLOAT32][TOCHA_FLOAT16] = half_to_float_run,
    [TOCHA_FLOAT16][TOCHA_FLOAT32] = float_to_half_run,
#endif
};
#pragma GCC diagnostic pop
