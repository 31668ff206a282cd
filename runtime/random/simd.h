/* simd.h: fused multiply-adds that are inlined and vectorized, for the random fills.
 *
 * PyTorch's x86-64 kernels are compiled for AVX2 and FMA, and the fusing shows in the last bit.
 * A fill is therefore written once, as an inline body that calls fma() where PyTorch fuses, and
 * instantiated twice: plain (fma() is then a call into the C library, or one instruction on
 * machines such as aarch64) and for AVX2 + FMA. Both give the same bits; the caller chooses by
 * tocha_cpu_has_fma(). Other multiplications must stay unfused: -std=c11 ensures that under gcc,
 * the pragma under clang. Without errno (-fno-math-errno) square roots are vectorized as well. */

#ifndef TOCHA_CORE_RANDOM_SIMD_H
#define TOCHA_CORE_RANDOM_SIMD_H

#include <stdbool.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(__GNUC__)
#define TOCHA_INLINE inline __attribute__((always_inline))
#else
#define TOCHA_INLINE inline
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define TOCHA_FMA_TARGET __attribute__((target("avx2,fma")))
static inline bool tocha_cpu_has_fma(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define TOCHA_FMA_TARGET
static inline bool tocha_cpu_has_fma(void) { return false; }
#endif

#endif
