/* vector_math.h: vectors of the instruction set that a file of loops is compiled for, and the
 * elementary functions on them.
 *
 * A formula (list/formulas.lua) written with the functions of scalar_math.h works on vfloat and
 * vdouble as on float and double: EXP(x) is SLEEF's function of 1.0 ULP on all lanes or, without
 * SLEEF, our own (vectors/functions.h). Without vectors, TOCHA_VECTORS is undefined and the same
 * formulas run on one element at a time. */
#ifndef TOCHA_VECTOR_MATH_H
#define TOCHA_VECTOR_MATH_H

#include <stdbool.h>
#include <stdint.h>

#define TOCHA_PASTE_NAMES(a, b) a##b
#define TOCHA_PASTE(a, b) TOCHA_PASTE_NAMES(a, b)

#if defined(TOCHA_ISA) && (defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__) ||       \
                           defined(__aarch64__) || defined(__wasm_simd128__))
#define TOCHA_VECTORS
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#include <wasm_simd128.h>
#endif

/* VFLOAT_FUNCTION(name, accuracy): the function on vectors of floats; SLEEF's if it was found. */
#ifdef TOCHA_HAVE_SLEEF
#include <sleef.h>
#if defined(__AVX512F__)
#define VFLOAT_FUNCTION(name, accuracy) Sleef_##name##f16_##accuracy##avx512f
#define VDOUBLE_FUNCTION(name, accuracy) Sleef_##name##d8_##accuracy##avx512f
#elif defined(__AVX2__)
#define VFLOAT_FUNCTION(name, accuracy) Sleef_##name##f8_##accuracy##avx2
#define VDOUBLE_FUNCTION(name, accuracy) Sleef_##name##d4_##accuracy##avx2
#elif defined(__SSE2__)
#define VFLOAT_FUNCTION(name, accuracy) Sleef_##name##f4_##accuracy##sse2
#define VDOUBLE_FUNCTION(name, accuracy) Sleef_##name##d2_##accuracy##sse2
#else
#define VFLOAT_FUNCTION(name, accuracy) Sleef_##name##f4_##accuracy##advsimd
#define VDOUBLE_FUNCTION(name, accuracy) Sleef_##name##d2_##accuracy##advsimd
#endif
#else
#define VFLOAT_FUNCTION(name, accuracy) vfloat_##name
#define VDOUBLE_FUNCTION(name, accuracy) vdouble_##name
#endif

/* VFLOAT_ROUNDED(name): the function of which nearly all results are the nearest floats
 * (rounded_math.h). In a browser it would take four times as long as our own. */
#ifdef __wasm__
#define VFLOAT_ROUNDED(name) vfloat_##name
#else
#define VFLOAT_ROUNDED(name) vfloat_rounded_##name
#endif

/* vfloat_low, vfloat_high: the lower and the upper half of a vector of floats, as doubles.
 * vfloat_of: the floats nearest to two halves.
 * vfloat_fma: a b + c, rounded once if the instruction set can.
 * vfloat_root: the correctly rounded square root.
 * vfloat_min(a, b), vfloat_max: the smaller or larger of each two lanes. If either is NaN, b
 * (on ARM, NaN).
 * vfloat_inverse_root: the processor's estimate of 1 / sqrt(x), right to 12 bits. */
#if defined(__AVX512F__)
enum { TOCHA_VECTOR_BYTES = 64 };
typedef __m512 vfloat;
typedef __m512d vdouble;
static inline vdouble vfloat_low(vfloat x) { return _mm512_cvtps_pd(_mm512_castps512_ps256(x)); }
static inline vdouble vfloat_high(vfloat x) {
  return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1)));
}
static inline vfloat vfloat_of(vdouble low, vdouble high) {
  return _mm512_castpd_ps(
      _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(_mm512_cvtpd_ps(low))),
                         _mm256_castps_pd(_mm512_cvtpd_ps(high)), 1));
}
static inline vfloat vfloat_fma(vfloat a, vfloat b, vfloat c) { return _mm512_fmadd_ps(a, b, c); }
static inline vdouble vdouble_fma(vdouble a, vdouble b, vdouble c) {
  return _mm512_fmadd_pd(a, b, c);
}
static inline vfloat vfloat_root(vfloat x) { return _mm512_sqrt_ps(x); }
static inline vfloat vfloat_min(vfloat a, vfloat b) { return _mm512_min_ps(a, b); }
static inline vfloat vfloat_max(vfloat a, vfloat b) { return _mm512_max_ps(a, b); }
static inline vdouble vdouble_min(vdouble a, vdouble b) { return _mm512_min_pd(a, b); }
static inline vdouble vdouble_max(vdouble a, vdouble b) { return _mm512_max_pd(a, b); }
static inline vdouble vdouble_root(vdouble x) { return _mm512_sqrt_pd(x); }
#define TOCHA_ESTIMATES_ROOTS
static inline vfloat vfloat_inverse_root(vfloat x) {
  __m256 low = _mm256_rsqrt_ps(_mm512_castps512_ps256(x));
  __m256 high = _mm256_rsqrt_ps(_mm512_extractf32x8_ps(x, 1));
  return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
#elif defined(__AVX2__)
enum { TOCHA_VECTOR_BYTES = 32 };
typedef __m256 vfloat;
typedef __m256d vdouble;
static inline vdouble vfloat_low(vfloat x) { return _mm256_cvtps_pd(_mm256_castps256_ps128(x)); }
static inline vdouble vfloat_high(vfloat x) { return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)); }
static inline vfloat vfloat_of(vdouble low, vdouble high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high),
                              1);
}
static inline vfloat vfloat_fma(vfloat a, vfloat b, vfloat c) { return _mm256_fmadd_ps(a, b, c); }
static inline vdouble vdouble_fma(vdouble a, vdouble b, vdouble c) {
  return _mm256_fmadd_pd(a, b, c);
}
static inline vfloat vfloat_root(vfloat x) { return _mm256_sqrt_ps(x); }
static inline vfloat vfloat_min(vfloat a, vfloat b) { return _mm256_min_ps(a, b); }
static inline vfloat vfloat_max(vfloat a, vfloat b) { return _mm256_max_ps(a, b); }
static inline vdouble vdouble_min(vdouble a, vdouble b) { return _mm256_min_pd(a, b); }
static inline vdouble vdouble_max(vdouble a, vdouble b) { return _mm256_max_pd(a, b); }
static inline vdouble vdouble_root(vdouble x) { return _mm256_sqrt_pd(x); }
#define TOCHA_ESTIMATES_ROOTS
static inline vfloat vfloat_inverse_root(vfloat x) { return _mm256_rsqrt_ps(x); }
#elif defined(__SSE2__)
enum { TOCHA_VECTOR_BYTES = 16 };
typedef __m128 vfloat;
typedef __m128d vdouble;
static inline vdouble vfloat_low(vfloat x) { return _mm_cvtps_pd(x); }
static inline vdouble vfloat_high(vfloat x) { return _mm_cvtps_pd(_mm_movehl_ps(x, x)); }
static inline vfloat vfloat_of(vdouble low, vdouble high) {
  return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}
/* Returns a b + c, rounded twice, because this instruction set has no fused multiply-add. */
static inline vfloat vfloat_fma(vfloat a, vfloat b, vfloat c) { return a * b + c; }
static inline vdouble vdouble_fma(vdouble a, vdouble b, vdouble c) { return a * b + c; }
static inline vfloat vfloat_root(vfloat x) { return _mm_sqrt_ps(x); }
static inline vfloat vfloat_min(vfloat a, vfloat b) { return _mm_min_ps(a, b); }
static inline vfloat vfloat_max(vfloat a, vfloat b) { return _mm_max_ps(a, b); }
static inline vdouble vdouble_min(vdouble a, vdouble b) { return _mm_min_pd(a, b); }
static inline vdouble vdouble_max(vdouble a, vdouble b) { return _mm_max_pd(a, b); }
static inline vdouble vdouble_root(vdouble x) { return _mm_sqrt_pd(x); }
#define TOCHA_ESTIMATES_ROOTS
static inline vfloat vfloat_inverse_root(vfloat x) { return _mm_rsqrt_ps(x); }
#elif defined(__aarch64__)
enum { TOCHA_VECTOR_BYTES = 16 };
typedef float32x4_t vfloat;
typedef float64x2_t vdouble;
static inline vdouble vfloat_low(vfloat x) { return vcvt_f64_f32(vget_low_f32(x)); }
static inline vdouble vfloat_high(vfloat x) { return vcvt_high_f64_f32(x); }
static inline vfloat vfloat_of(vdouble low, vdouble high) {
  return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
}
static inline vfloat vfloat_fma(vfloat a, vfloat b, vfloat c) { return vfmaq_f32(c, a, b); }
static inline vdouble vdouble_fma(vdouble a, vdouble b, vdouble c) { return vfmaq_f64(c, a, b); }
static inline vfloat vfloat_root(vfloat x) { return vsqrtq_f32(x); }
static inline vfloat vfloat_min(vfloat a, vfloat b) { return vminq_f32(a, b); }
static inline vfloat vfloat_max(vfloat a, vfloat b) { return vmaxq_f32(a, b); }
static inline vdouble vdouble_min(vdouble a, vdouble b) { return vminq_f64(a, b); }
static inline vdouble vdouble_max(vdouble a, vdouble b) { return vmaxq_f64(a, b); }
static inline vdouble vdouble_root(vdouble x) { return vsqrtq_f64(x); }
#else
enum { TOCHA_VECTOR_BYTES = 16 };
typedef float vfloat __attribute__((vector_size(16)));
typedef double vdouble __attribute__((vector_size(16)));
static inline vdouble vfloat_low(vfloat x) { return (vdouble)wasm_f64x2_promote_low_f32x4(x); }
static inline vdouble vfloat_high(vfloat x) {
  return (vdouble)wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(x, x, 2, 3, 2, 3));
}
static inline vfloat vfloat_of(vdouble low, vdouble high) {
  return (vfloat)wasm_i32x4_shuffle(wasm_f32x4_demote_f64x2_zero(low),
                                    wasm_f32x4_demote_f64x2_zero(high), 0, 1, 4, 5);
}
static inline vfloat vfloat_fma(vfloat a, vfloat b, vfloat c) { return a * b + c; }
static inline vdouble vdouble_fma(vdouble a, vdouble b, vdouble c) { return a * b + c; }
static inline vfloat vfloat_root(vfloat x) { return (vfloat)wasm_f32x4_sqrt(x); }
static inline vfloat vfloat_min(vfloat a, vfloat b) { return (vfloat)wasm_f32x4_pmin(b, a); }
static inline vfloat vfloat_max(vfloat a, vfloat b) { return (vfloat)wasm_f32x4_pmax(b, a); }
static inline vdouble vdouble_min(vdouble a, vdouble b) { return (vdouble)wasm_f64x2_pmin(b, a); }
static inline vdouble vdouble_max(vdouble a, vdouble b) { return (vdouble)wasm_f64x2_pmax(b, a); }
static inline vdouble vdouble_root(vdouble x) { return (vdouble)wasm_f64x2_sqrt(x); }
#endif
/* defined if vfloat_fma and vdouble_fma round once */
#if defined(__FMA__) || defined(__aarch64__)
#define TOCHA_VECTORS_FUSE
#endif

typedef __typeof__((vfloat){0} < (vfloat){0}) vfloat_mask;
typedef __typeof__((vdouble){0} < (vdouble){0}) vdouble_mask;
typedef uint32_t vuint32 __attribute__((vector_size(TOCHA_VECTOR_BYTES)));
typedef uint64_t vuint64 __attribute__((vector_size(TOCHA_VECTOR_BYTES)));

/* Returns true if every lane of a comparison is -1. */
#if defined(__AVX512F__)
static inline bool vfloat_all(vfloat_mask which) {
  return _mm512_test_epi32_mask((__m512i)which, (__m512i)which) == 0xFFFF;
}
static inline bool vdouble_all(vdouble_mask which) {
  return _mm512_test_epi64_mask((__m512i)which, (__m512i)which) == 0xFF;
}
#elif defined(__AVX2__)
static inline bool vfloat_all(vfloat_mask which) {
  return _mm256_movemask_ps((__m256)which) == 0xFF;
}
static inline bool vdouble_all(vdouble_mask which) {
  return _mm256_movemask_pd((__m256d)which) == 0xF;
}
#elif defined(__SSE2__)
static inline bool vfloat_all(vfloat_mask which) { return _mm_movemask_ps((__m128)which) == 0xF; }
static inline bool vdouble_all(vdouble_mask which) { return _mm_movemask_pd((__m128d)which) == 3; }
#elif defined(__aarch64__)
static inline bool vfloat_all(vfloat_mask which) { return vminvq_u32((uint32x4_t)which) != 0; }
static inline bool vdouble_all(vdouble_mask which) { return vminvq_u32((uint32x4_t)which) != 0; }
#else
static inline bool vfloat_all(vfloat_mask which) { return wasm_i32x4_bitmask(which) == 15; }
static inline bool vdouble_all(vdouble_mask which) { return wasm_i64x2_bitmask(which) == 3; }
#endif

/* Returns the lanes of `yes` whose mask is set, and those of `no` elsewhere. */
static inline vfloat vfloat_select(vfloat_mask which, vfloat yes, vfloat no) {
  vfloat_mask a, b;
  memcpy(&a, &yes, sizeof a);
  memcpy(&b, &no, sizeof b);
  a = (a & which) | (b & ~which);
  memcpy(&yes, &a, sizeof yes);
  return yes;
}
static inline vdouble vdouble_select(vdouble_mask which, vdouble yes, vdouble no) {
  vdouble_mask a, b;
  memcpy(&a, &yes, sizeof a);
  memcpy(&b, &no, sizeof b);
  a = (a & which) | (b & ~which);
  memcpy(&yes, &a, sizeof yes);
  return yes;
}

/* Returns the square root of a tensor's floats as PyTorch's library takes it, which is not
 * correctly rounded: an estimate improved by two steps (Goldschmidt's, then Newton's on the
 * remainder), every product rounded. If the result is not finite, x is 0, subnormal, infinite,
 * negative or close to the largest float, and the correctly rounded root is taken. */
static inline vfloat vfloat_sqrt(vfloat x) {
#ifdef TOCHA_ESTIMATES_ROOTS
  vfloat estimate = vfloat_inverse_root(x), root = x * estimate, half = estimate * 0.5f;
  vfloat left = 0.5f - root * half;
  root = root + root * left;
  half = half + half * left;
  root = root + (x - root * root) * half;
  return vfloat_select(root - root == 0, root, vfloat_root(x));
#else
  return vfloat_root(x);
#endif
}
static inline vdouble vdouble_sqrt(vdouble x) { return vdouble_root(x); }
#endif

#endif
