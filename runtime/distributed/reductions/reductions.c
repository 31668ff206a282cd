/* reductions.c: the loops of reductions, compiled for each instruction set.
 *
 * Halves are added in float and rounded to the nearest even after each addition. Maxima and minima keep the first
 * of two elements that do not compare, so that a NaN's fate depends on its rank, as in PyTorch. */
#include "distributed/reductions/reductions.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* --- halves ---------------------------------------------------------------------------------------- */

ALWAYS_INLINE uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

ALWAYS_INLINE float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

ALWAYS_INLINE float widen_bfloat16(uint16_t x) { return float_of((uint32_t)x << 16); }

ALWAYS_INLINE uint16_t narrow_bfloat16(float value) {
  uint32_t bits = bits_of(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return (uint16_t)(value != value ? 0x7fc0 : rounded);
}

/* Without branches, so that loops of it become vectors: a subnormal is an integer's multiple of 2^-24. */
ALWAYS_INLINE float widen_float16(uint16_t x) {
  uint32_t sign = (uint32_t)(x & 0x8000) << 16, rest = x & 0x7fff;
  float subnormal = (float)(int32_t)rest * 0x1p-24f;
  uint32_t exponent_offset = rest >= 0x7c00 ? 224U << 23 : 112U << 23;
  uint32_t normal = (rest << 13) + exponent_offset;
  uint32_t quiet = rest > 0x7c00 ? 0x400000U : 0;
  return float_of(sign | (rest < 0x400 ? bits_of(subnormal) : normal | quiet));
}

ALWAYS_INLINE uint16_t narrow_float16(float value) {
  uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000, rest = bits & 0x7fffffff;
  /* the addition rounds to multiples of 2^-24, the last digit of a subnormal */
  uint32_t subnormal = bits_of(float_of(rest) + 0.5F) - bits_of(0.5F);
  uint32_t normal = (rest - (112U << 23) + 0xfff + ((rest >> 13) & 1)) >> 13;
  uint32_t nan = 0x7e00 | ((rest >> 13) & 0x3ff);
  uint32_t finite = rest < 113U << 23 ? subnormal : normal > 0x7c00 ? 0x7c00 : normal;
  return (uint16_t)(sign | (rest > 0x7f800000 ? nan : rest >= 0x47800000 ? 0x7c00 : finite));
}

/* --- loops ----------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define VECTORS __attribute__((target("avx2")))
/* A processor with these two has conversions of halves, too. */
static bool has_vectors(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define VECTORS
static bool has_vectors(void) { return false; }
#endif

#if defined(__clang__) /* an element of c depends on its own of a and b alone */
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Defines the loop that writes `value`, an expression of the elements x and y, for any processor and for one with vectors. */
#define LOOP(name, type, value)                                                                    \
  ALWAYS_INLINE void name##_from(type *c, const type *a, const type *b, size_t first,              \
                                 size_t count) {                                                   \
    INDEPENDENT for (size_t i = first; i < count; i++) {                                           \
      type x = a[i], y = b[i];                                                                     \
      c[i] = (type)(value);                                                                        \
    }                                                                                              \
  }                                                                                                \
  static void name(void *c, const void *a, const void *b, size_t count) {                          \
    name##_from(c, a, b, 0, count);                                                                \
  }                                                                                                \
  VECTORS static void name##_vector(void *c, const void *a, const void *b, size_t count) {         \
    name##_from(c, a, b, 0, count);                                                                \
  }

/* Integers are added and multiplied as unsigned ones, for an overflow wraps around. */
#define INTEGER(T, type, wrapping)                                                                 \
  LOOP(T##_sum, type, (wrapping)(x) + (wrapping)(y))                                               \
  LOOP(T##_product, type, (wrapping)(x) * (wrapping)(y))                                           \
  LOOP(T##_min, type, y < x ? y : x)                                                               \
  LOOP(T##_max, type, x < y ? y : x)                                                               \
  LOOP(T##_and, type, (x) & (y))                                                                   \
  LOOP(T##_or, type, (x) | (y))                                                                    \
  LOOP(T##_xor, type, (x) ^ (y))

#define FLOATING(T, type, widen, narrow)                                                           \
  LOOP(T##_sum, type, narrow(widen(x) + widen(y)))                                                 \
  LOOP(T##_product, type, narrow(widen(x) * widen(y)))                                             \
  LOOP(T##_min, type, widen(y) < widen(x) ? y : x)                                                 \
  LOOP(T##_max, type, widen(x) < widen(y) ? y : x)

INTEGER(uint8, uint8_t, uint32_t) /* and booleans, which are 0 or 1 */
INTEGER(int8, int8_t, uint32_t)
INTEGER(int16, int16_t, uint32_t)
INTEGER(int32, int32_t, uint32_t)
INTEGER(int64, int64_t, uint64_t)
FLOATING(float16, uint16_t, widen_float16, narrow_float16)
FLOATING(bfloat16, uint16_t, widen_bfloat16, narrow_bfloat16)
FLOATING(float32, float, , )
FLOATING(float64, double, , )

/* Eight halves at a time. */
#if defined(__x86_64__)
#define HALVES(name, combine)                                                                      \
  __attribute__((target("avx2,f16c"))) static void name##_f16c(void *to, const void *left,         \
                                                               const void *right, size_t count) {  \
    uint16_t *c = to;                                                                              \
    const uint16_t *a = left, *b = right;                                                          \
    size_t whole = count & ~(size_t)7;                                                             \
    for (size_t i = 0; i < whole; i += 8) {                                                        \
      __m256 x = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i)));                       \
      __m256 y = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(b + i)));                       \
      __m128i z = _mm256_cvtps_ph(combine(x, y), _MM_FROUND_TO_NEAREST_INT);                       \
      _mm_storeu_si128((__m128i *)(c + i), z);                                                     \
    }                                                                                              \
    name##_from(c, a, b, whole, count);                                                            \
  }
HALVES(float16_sum, _mm256_add_ps)
HALVES(float16_product, _mm256_mul_ps)
#endif

/* --- which loop ------------------------------------------------------------------------------------ */

/* The same loop for any processor and for one with vectors. */
typedef struct pair {
  engine_reduction *plain, *vector;
} pair;

#define PAIR(name)                                                                                 \
  { name, name##_vector }
#define ORDERED(T)                                                                                 \
  [TOCHA_REDUCE_SUM] = PAIR(T##_sum), [TOCHA_REDUCE_PRODUCT] = PAIR(T##_product),                  \
  [TOCHA_REDUCE_MIN] = PAIR(T##_min), [TOCHA_REDUCE_MAX] = PAIR(T##_max)
#define BITS(T)                                                                                    \
  [TOCHA_REDUCE_BAND] = PAIR(T##_and), [TOCHA_REDUCE_BOR] = PAIR(T##_or),                          \
  [TOCHA_REDUCE_BXOR] = PAIR(T##_xor)
#define MEAN(T) [TOCHA_REDUCE_AVG] = PAIR(T##_sum)

static const pair pairs[TOCHA_DTYPE_COUNT][TOCHA_REDUCE_PREMUL_SUM + 1] = {
    [TOCHA_BOOL] = {[TOCHA_REDUCE_SUM] = PAIR(uint8_or),
                    [TOCHA_REDUCE_PRODUCT] = PAIR(uint8_and),
                    [TOCHA_REDUCE_MIN] = PAIR(uint8_and),
                    [TOCHA_REDUCE_MAX] = PAIR(uint8_or),
                    BITS(uint8)},
    [TOCHA_UINT8] = {ORDERED(uint8), BITS(uint8)},
    [TOCHA_INT8] = {ORDERED(int8), BITS(int8)},
    [TOCHA_INT16] = {ORDERED(int16), BITS(int16)},
    [TOCHA_INT32] = {ORDERED(int32), BITS(int32)},
    [TOCHA_INT64] = {ORDERED(int64), BITS(int64)},
    [TOCHA_FLOAT16] = {ORDERED(float16), MEAN(float16)},
    [TOCHA_BFLOAT16] = {ORDERED(bfloat16), MEAN(bfloat16)},
    [TOCHA_FLOAT32] = {ORDERED(float32), MEAN(float32)},
    [TOCHA_FLOAT64] = {ORDERED(float64), MEAN(float64)},
};

engine_reduction *engine_find_reduction(tocha_dtype dtype, tocha_reduce_op op) {
  const pair *p = &pairs[dtype][op];
  if (!has_vectors()) return p->plain;
#if defined(__x86_64__)
  if (p->plain == float16_sum) return float16_sum_f16c;
  if (p->plain == float16_product) return float16_product_f16c;
#endif
  return p->vector;
}

#define DIVIDE(type, widen, narrow)                                                                \
  for (int64_t i = 0; i < count; i++) ((type *)data)[i] = narrow(widen(((type *)data)[i]) / divisor)

void engine_divide(void *data, tocha_dtype dtype, int64_t count, int ranks) {
  float divisor = (float)ranks;
  switch (dtype) {
  case TOCHA_FLOAT16:
    DIVIDE(uint16_t, widen_float16, narrow_float16);
    return;
  case TOCHA_BFLOAT16:
    DIVIDE(uint16_t, widen_bfloat16, narrow_bfloat16);
    return;
  case TOCHA_FLOAT32:
    DIVIDE(float, , );
    return;
  case TOCHA_FLOAT64:
    DIVIDE(double, , );
    return;
  default:
    return;
  }
}
