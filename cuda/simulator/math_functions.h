// math_functions.h: CUDA's arithmetic functions that the C library lacks. Results agree with a GPU
// within CUDA's documented error bounds, not to the last bit.
#ifndef TOCHA_SIMULATOR_MATH_FUNCTIONS_H
#define TOCHA_SIMULATOR_MATH_FUNCTIONS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device_functions.h"

// --- the same bits as another type ---------------------------------------------------------------
namespace simulator {
template <class To, class From> static inline To same_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To result;
  memcpy(&result, &value, sizeof result);
  return result;
}
SIMULATOR_HIDDEN double normal_quantile(double p);
SIMULATOR_HIDDEN double inverse_erf(double x);
SIMULATOR_HIDDEN double inverse_erfc(double x);
// Converts as the hardware does: saturates, and NaN gives 0 (in C++ both are undefined).
template <class To> static inline To saturating(double value) {
  const double low =
      static_cast<double>(static_cast<To>(To(-1) < 0 ? To(1) << (8 * sizeof(To) - 1) : 0));
  const double high = ldexp(1.0, static_cast<int>(8 * sizeof(To)) - (To(-1) < 0 ? 1 : 0));
  if (!(value == value)) return 0;
  if (value <= low) return static_cast<To>(low);
  if (value >= high) return static_cast<To>(~static_cast<To>(low));
  return static_cast<To>(value);
}
} // namespace simulator

static inline int __float_as_int(float x) { return simulator::same_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return simulator::same_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return simulator::same_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return simulator::same_bits<float>(x); }
static inline long long __double_as_longlong(double x) {
  return simulator::same_bits<long long>(x);
}
static inline double __longlong_as_double(long long x) { return simulator::same_bits<double>(x); }
static inline int __double2hiint(double x) {
  return static_cast<int>(simulator::same_bits<uint64_t>(x) >> 32);
}
static inline int __double2loint(double x) {
  return static_cast<int>(simulator::same_bits<uint64_t>(x) & 0xffffffffu);
}
static inline double __hiloint2double(int high, int low) {
  return simulator::same_bits<double>(static_cast<uint64_t>(static_cast<unsigned>(high)) << 32 |
                                      static_cast<unsigned>(low));
}

// --- integers ------------------------------------------------------------------------------------
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
static inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<int64_t>(a) * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  uint64_t other = a0 * b1 + (middle & 0xffffffffu);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
static inline int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
  unsigned result = 0;
  for (int bit = 0; bit < 32; bit++) result |= (x >> bit & 1u) << (31 - bit);
  return result;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  shift &= 31;
  return shift ? high << shift | low >> (32 - shift) : high;
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  shift &= 31;
  return shift ? low >> shift | high << (32 - shift) : low;
}

#define SIMULATOR_MIN_MAX(type)                                                                    \
  static inline type min(type a, type b) { return b < a ? b : a; }                                 \
  static inline type max(type a, type b) { return a < b ? b : a; }
SIMULATOR_MIN_MAX(int)
SIMULATOR_MIN_MAX(unsigned)
SIMULATOR_MIN_MAX(long)
SIMULATOR_MIN_MAX(unsigned long)
SIMULATOR_MIN_MAX(long long)
SIMULATOR_MIN_MAX(unsigned long long)
#undef SIMULATOR_MIN_MAX
static inline float min(float a, float b) { return fminf(a, b); } // a NaN loses, as in CUDA
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }

// --- conversions with a rounding in their name ---------------------------------------------------
static inline int __float2int_rz(float x) { return simulator::saturating<int>(x); }
static inline int __float2int_rn(float x) { return simulator::saturating<int>(nearbyint(x)); }
static inline int __float2int_rd(float x) { return simulator::saturating<int>(floor(x)); }
static inline int __float2int_ru(float x) { return simulator::saturating<int>(ceil(x)); }
static inline unsigned __float2uint_rz(float x) { return simulator::saturating<unsigned>(x); }
static inline unsigned __float2uint_rn(float x) {
  return simulator::saturating<unsigned>(nearbyint(x));
}
static inline long long __float2ll_rz(float x) { return simulator::saturating<long long>(x); }
static inline long long __double2ll_rz(double x) { return simulator::saturating<long long>(x); }
static inline int __double2int_rz(double x) { return simulator::saturating<int>(x); }
static inline float __int2float_rn(int x) { return static_cast<float>(x); }
static inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
static inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
static inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
static inline float __double2float_rn(double x) { return static_cast<float>(x); }

// --- floating point ------------------------------------------------------------------------------
// Arithmetic with a rounding in its name is never fused with another operation, even if the
// compiler may fuse.
namespace simulator {
template <class T> static inline T apart(T value) {
#ifdef TOCHA_PERTURBED
  volatile T kept = value;
  return kept;
#else
  return value;
#endif
}
} // namespace simulator
static inline float __fadd_rn(float a, float b) {
  return simulator::apart(simulator::apart(a) + simulator::apart(b));
}
static inline float __fsub_rn(float a, float b) {
  return simulator::apart(simulator::apart(a) - simulator::apart(b));
}
static inline float __fmul_rn(float a, float b) { return simulator::apart(a * b); }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}
static inline double __dadd_rn(double a, double b) {
  return simulator::apart(simulator::apart(a) + simulator::apart(b));
}
static inline double __dsub_rn(double a, double b) {
  return simulator::apart(simulator::apart(a) - simulator::apart(b));
}
static inline double __dmul_rn(double a, double b) { return simulator::apart(a * b); }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double x) { return sqrt(x); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline float fdividef(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
static inline double rcbrt(double x) { return 1.0 / cbrt(x); }

// glibc's headers declare some of the fast forms (__expf) and, in later versions, sinpi and rsqrt.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)
#define __tanhf(x) tanhf(x)

#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 42)
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
#endif
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
namespace simulator {
// Returns sin(pi x), or cos(pi x), from the remainder of x by 2, which is exact.
static inline double sine_of_turns(double x) {
  double r = remainder(x, 2.0);
  if (r > 0.5) r = 1.0 - r;
  if (r < -0.5) r = -1.0 - r;
  return r == 0.0 ? copysign(0.0, x) : sin(3.14159265358979323846 * r);
}
static inline double cosine_of_turns(double x) {
  double r = fabs(remainder(x, 2.0));
  return r == 0.5   ? 0.0
         : r < 0.25 ? cos(3.14159265358979323846 * r)
                    : sin(3.14159265358979323846 * (0.5 - r));
}
} // namespace simulator
static inline double sinpi(double x) { return simulator::sine_of_turns(x); }
static inline double cospi(double x) { return simulator::cosine_of_turns(x); }
static inline float sinpif(float x) { return static_cast<float>(simulator::sine_of_turns(x)); }
static inline float cospif(float x) { return static_cast<float>(simulator::cosine_of_turns(x)); }
#endif
static inline void sincospi(double x, double *sine, double *cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
static inline void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

static inline double erfinv(double x) { return simulator::inverse_erf(x); }
static inline float erfinvf(float x) { return static_cast<float>(simulator::inverse_erf(x)); }
static inline double erfcinv(double x) { return simulator::inverse_erfc(x); }
static inline float erfcinvf(float x) { return static_cast<float>(simulator::inverse_erfc(x)); }
static inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
static inline float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}
static inline double normcdfinv(double p) { return simulator::normal_quantile(p); }
static inline float normcdfinvf(float p) {
  return static_cast<float>(simulator::normal_quantile(p));
}

#include "perturbed.h" // the names above, and those of the C library, from here on

#endif
