/* reductions.cpp: the loops of reductions, compiled for each instruction set.
 *
 * Halves are added in float and rounded to the nearest even after each addition. Maxima and minima keep the first
 * of two elements that do not compare, so that a NaN's fate depends on its rank, as in PyTorch. */
#include "distributed/gloo/reductions.h"

#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* --- dtypes ---------------------------------------------------------------------------------------- */

ALWAYS_INLINE uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

ALWAYS_INLINE float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

struct boolean {
  uint8_t value;
};

struct bfloat16 {
  uint16_t bits;
};

struct float16 {
  uint16_t bits;
};

ALWAYS_INLINE float widen(bfloat16 x) { return float_of((uint32_t)x.bits << 16); }

ALWAYS_INLINE bfloat16 narrow(float value, bfloat16) {
  uint32_t bits = bits_of(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return {(uint16_t)(value != value ? 0x7fc0 : rounded)};
}

/* Without branches, so that loops of it become vectors: a subnormal is an integer's multiple of 2^-24. */
ALWAYS_INLINE float widen(float16 x) {
  uint32_t sign = (uint32_t)(x.bits & 0x8000) << 16, rest = x.bits & 0x7fff;
  float subnormal = (float)(int32_t)rest * 0x1p-24f;
  uint32_t exponent_offset = rest >= 0x7c00 ? 224u << 23 : 112u << 23;
  uint32_t normal = (rest << 13) + exponent_offset;
  uint32_t quiet = rest > 0x7c00 ? 0x400000u : 0;
  return float_of(sign | (rest < 0x400 ? bits_of(subnormal) : normal | quiet));
}

ALWAYS_INLINE float16 narrow(float value, float16) {
  uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000, rest = bits & 0x7fffffff;
  /* the addition rounds to multiples of 2^-24, the last digit of a subnormal */
  uint32_t subnormal = bits_of(float_of(rest) + 0.5f) - bits_of(0.5f);
  uint32_t normal = (rest - (112u << 23) + 0xfff + ((rest >> 13) & 1)) >> 13;
  uint32_t nan = 0x7e00 | ((rest >> 13) & 0x3ff);
  uint32_t finite = rest < 113u << 23 ? subnormal : normal > 0x7c00 ? 0x7c00 : normal;
  return {(uint16_t)(sign | (rest > 0x7f800000 ? nan : rest >= 0x47800000 ? 0x7c00 : finite))};
}

/* --- operations ------------------------------------------------------------------------------------ */

template <typename T>
constexpr bool is_half = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

/* What integers are added and multiplied as: unsigned, for an overflow wraps around. */
template <typename T> using wrapping = std::make_unsigned_t<decltype(T() + T())>;

struct sum {
  template <typename T> static ALWAYS_INLINE T of(T a, T b) {
    if constexpr (std::is_same_v<T, boolean>)
      return {(uint8_t)(a.value | b.value)};
    else if constexpr (is_half<T>)
      return narrow(widen(a) + widen(b), T());
    else if constexpr (std::is_integral_v<T>)
      return (T)((wrapping<T>)a + (wrapping<T>)b);
    else
      return a + b;
  }
};

struct product {
  template <typename T> static ALWAYS_INLINE T of(T a, T b) {
    if constexpr (std::is_same_v<T, boolean>)
      return {(uint8_t)(a.value & b.value)};
    else if constexpr (is_half<T>)
      return narrow(widen(a) * widen(b), T());
    else if constexpr (std::is_integral_v<T>)
      return (T)((wrapping<T>)a * (wrapping<T>)b);
    else
      return a * b;
  }
};

struct maximum {
  template <typename T> static ALWAYS_INLINE T of(T a, T b) {
    if constexpr (std::is_same_v<T, boolean>)
      return {(uint8_t)(a.value | b.value)};
    else if constexpr (is_half<T>)
      return widen(a) < widen(b) ? b : a;
    else
      return a < b ? b : a;
  }
};

struct minimum {
  template <typename T> static ALWAYS_INLINE T of(T a, T b) {
    if constexpr (std::is_same_v<T, boolean>)
      return {(uint8_t)(a.value & b.value)};
    else if constexpr (is_half<T>)
      return widen(b) < widen(a) ? b : a;
    else
      return b < a ? b : a;
  }
};

struct bits_and {
  template <typename T> static ALWAYS_INLINE T of(T a, T b) {
    if constexpr (std::is_same_v<T, boolean>)
      return {(uint8_t)(a.value & b.value)};
    else
      return (T)(a & b);
  }
};

struct bits_or {
  template <typename T> static ALWAYS_INLINE T of(T a, T b) {
    if constexpr (std::is_same_v<T, boolean>)
      return {(uint8_t)(a.value | b.value)};
    else
      return (T)(a | b);
  }
};

struct bits_xor {
  template <typename T> static ALWAYS_INLINE T of(T a, T b) {
    if constexpr (std::is_same_v<T, boolean>)
      return {(uint8_t)(a.value ^ b.value)};
    else
      return (T)(a ^ b);
  }
};

/* --- loops ----------------------------------------------------------------------------------------- */

template <typename T, typename Op>
ALWAYS_INLINE void loop(void *to, const void *left, const void *right, size_t first, size_t count) {
  T *c = (T *)to;
  const T *a = (const T *)left, *b = (const T *)right;
#if defined(__clang__) /* an element of c depends on its own of a and b alone */
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (size_t i = first; i < count; i++) c[i] = Op::of(a[i], b[i]);
}

template <typename T, typename Op>
void portable(void *c, const void *a, const void *b, size_t count) {
  loop<T, Op>(c, a, b, 0, count);
}

#if defined(__x86_64__)

template <typename T, typename Op>
__attribute__((target("avx2"))) void with_avx2(void *c, const void *a, const void *b,
                                               size_t count) {
  loop<T, Op>(c, a, b, 0, count);
}

/* Eight halves at a time. */
template <typename Op>
__attribute__((target("avx2,f16c"))) void halves_with_f16c(void *to, const void *left,
                                                           const void *right, size_t count) {
  uint16_t *c = (uint16_t *)to;
  const uint16_t *a = (const uint16_t *)left, *b = (const uint16_t *)right;
  size_t whole = count & ~(size_t)7;
  for (size_t i = 0; i < whole; i += 8) {
    __m256 x = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i)));
    __m256 y = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(b + i)));
    __m256 z = std::is_same_v<Op, sum> ? _mm256_add_ps(x, y) : _mm256_mul_ps(x, y);
    _mm_storeu_si128((__m128i *)(c + i), _mm256_cvtps_ph(z, _MM_FROUND_TO_NEAREST_INT));
  }
  loop<float16, Op>(to, left, right, whole, count);
}

#endif

template <typename T, typename Op> gloo_reduction *best() {
#if defined(__x86_64__)
  if constexpr (std::is_same_v<T, float16> &&
                (std::is_same_v<Op, sum> || std::is_same_v<Op, product>)) {
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
      return halves_with_f16c<Op>;
  }
  if (__builtin_cpu_supports("avx2")) return with_avx2<T, Op>;
#endif
  return portable<T, Op>;
}

template <typename T> gloo_reduction *reduction_of(tocha_reduce_op op) {
  constexpr bool has_bits = std::is_integral_v<T> || std::is_same_v<T, boolean>;
  switch (op) {
  case TOCHA_REDUCE_SUM:
    return best<T, sum>();
  case TOCHA_REDUCE_AVG:
    return has_bits ? nullptr : best<T, sum>();
  case TOCHA_REDUCE_PRODUCT:
    return best<T, product>();
  case TOCHA_REDUCE_MIN:
    return best<T, minimum>();
  case TOCHA_REDUCE_MAX:
    return best<T, maximum>();
  default:
    break;
  }
  if constexpr (has_bits) {
    if (op == TOCHA_REDUCE_BAND) return best<T, bits_and>();
    if (op == TOCHA_REDUCE_BOR) return best<T, bits_or>();
    if (op == TOCHA_REDUCE_BXOR) return best<T, bits_xor>();
  }
  return nullptr;
}

template <typename T> void divide(void *data, int64_t count, int ranks) {
  T *x = (T *)data;
  for (int64_t i = 0; i < count; i++) {
    if constexpr (is_half<T>)
      x[i] = narrow(widen(x[i]) / (float)ranks, T());
    else
      x[i] /= (T)ranks;
  }
}

} // namespace

gloo_reduction *find_reduction(tocha_dtype dtype, tocha_reduce_op op) {
  switch (dtype) {
  case TOCHA_BOOL:
    return reduction_of<boolean>(op);
  case TOCHA_UINT8:
    return reduction_of<uint8_t>(op);
  case TOCHA_INT8:
    return reduction_of<int8_t>(op);
  case TOCHA_INT32:
    return reduction_of<int32_t>(op);
  case TOCHA_INT64:
    return reduction_of<int64_t>(op);
  case TOCHA_FLOAT16:
    return reduction_of<float16>(op);
  case TOCHA_BFLOAT16:
    return reduction_of<bfloat16>(op);
  case TOCHA_FLOAT32:
    return reduction_of<float>(op);
  case TOCHA_FLOAT64:
    return reduction_of<double>(op);
  default:
    return nullptr;
  }
}

void divide_by(void *data, tocha_dtype dtype, int64_t count, int ranks) {
  switch (dtype) {
  case TOCHA_FLOAT16:
    return divide<float16>(data, count, ranks);
  case TOCHA_BFLOAT16:
    return divide<bfloat16>(data, count, ranks);
  case TOCHA_FLOAT32:
    return divide<float>(data, count, ranks);
  case TOCHA_FLOAT64:
    return divide<double>(data, count, ranks);
  default:
    return;
  }
}
