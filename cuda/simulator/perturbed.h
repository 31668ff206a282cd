// perturbed.h: arithmetic whose last digits differ, as on another processor. With TOCHA_PERTURBED,
// the functions whose last digit CUDA leaves open are one unit off for about half of all results.
// Whole numbers and round ones (0, 1, 2.5) are not changed. If a spec fails only in such a build,
// the failure is about digits, not about kernels.
#ifndef TOCHA_SIMULATOR_PERTURBED_H
#define TOCHA_SIMULATOR_PERTURBED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

namespace simulator {

// Returns a number that looks random and depends only on the value.
static inline uint64_t hash_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9u;
  return bits ^ bits >> 32;
}

// Returns a neighbour of the value, at most `units` units of its last place away.
template <class T> static inline T perturbed(T value, unsigned units = 1) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "float or double");
  double wide = static_cast<double>(value);
  if (!isfinite(wide) || wide * 64 == rint(wide * 64)) return value;
  uint64_t hash = hash_of(wide);
  T limit = static_cast<T>(hash & 2 ? INFINITY : -INFINITY);
  for (unsigned n = hash & 1 ? static_cast<unsigned>(hash >> 8) % units + 1 : 0; n > 0; n--)
    value = sizeof(T) == 4
                ? static_cast<T>(nextafterf(static_cast<float>(value), static_cast<float>(limit)))
                : static_cast<T>(nextafter(static_cast<double>(value), static_cast<double>(limit)));
  return value;
}

} // namespace simulator

#ifdef TOCHA_PERTURBED

#define SIMULATOR_PERTURBED(name)                                                                  \
  template <class... T> static inline auto perturbed_##name(T... x) {                              \
    return ::simulator::perturbed((name)(x...));                                                   \
  }
SIMULATOR_PERTURBED(exp)
SIMULATOR_PERTURBED(expf)
SIMULATOR_PERTURBED(exp2)
SIMULATOR_PERTURBED(exp2f)
SIMULATOR_PERTURBED(expm1)
SIMULATOR_PERTURBED(expm1f)
SIMULATOR_PERTURBED(log)
SIMULATOR_PERTURBED(logf)
SIMULATOR_PERTURBED(log2)
SIMULATOR_PERTURBED(log2f)
SIMULATOR_PERTURBED(log10)
SIMULATOR_PERTURBED(log10f)
SIMULATOR_PERTURBED(log1p)
SIMULATOR_PERTURBED(log1pf)
SIMULATOR_PERTURBED(sin)
SIMULATOR_PERTURBED(sinf)
SIMULATOR_PERTURBED(cos)
SIMULATOR_PERTURBED(cosf)
SIMULATOR_PERTURBED(tan)
SIMULATOR_PERTURBED(tanf)
SIMULATOR_PERTURBED(asin)
SIMULATOR_PERTURBED(asinf)
SIMULATOR_PERTURBED(acos)
SIMULATOR_PERTURBED(acosf)
SIMULATOR_PERTURBED(atan)
SIMULATOR_PERTURBED(atanf)
SIMULATOR_PERTURBED(atan2)
SIMULATOR_PERTURBED(atan2f)
SIMULATOR_PERTURBED(sinh)
SIMULATOR_PERTURBED(sinhf)
SIMULATOR_PERTURBED(cosh)
SIMULATOR_PERTURBED(coshf)
SIMULATOR_PERTURBED(tanh)
SIMULATOR_PERTURBED(tanhf)
SIMULATOR_PERTURBED(asinh)
SIMULATOR_PERTURBED(asinhf)
SIMULATOR_PERTURBED(acosh)
SIMULATOR_PERTURBED(acoshf)
SIMULATOR_PERTURBED(atanh)
SIMULATOR_PERTURBED(atanhf)
SIMULATOR_PERTURBED(pow)
SIMULATOR_PERTURBED(powf)
SIMULATOR_PERTURBED(hypot)
SIMULATOR_PERTURBED(hypotf)
SIMULATOR_PERTURBED(erf)
SIMULATOR_PERTURBED(erff)
SIMULATOR_PERTURBED(erfc)
SIMULATOR_PERTURBED(erfcf)
SIMULATOR_PERTURBED(lgamma)
SIMULATOR_PERTURBED(lgammaf)
SIMULATOR_PERTURBED(tgamma)
SIMULATOR_PERTURBED(tgammaf)
SIMULATOR_PERTURBED(rsqrt)
SIMULATOR_PERTURBED(rsqrtf)
SIMULATOR_PERTURBED(cbrt)
SIMULATOR_PERTURBED(cbrtf)
SIMULATOR_PERTURBED(sinpi)
SIMULATOR_PERTURBED(sinpif)
SIMULATOR_PERTURBED(cospi)
SIMULATOR_PERTURBED(cospif)
SIMULATOR_PERTURBED(erfinv)
SIMULATOR_PERTURBED(erfinvf)
#undef SIMULATOR_PERTURBED

#define exp(...) perturbed_exp(__VA_ARGS__)
#define expf(...) perturbed_expf(__VA_ARGS__)
#define exp2(...) perturbed_exp2(__VA_ARGS__)
#define exp2f(...) perturbed_exp2f(__VA_ARGS__)
#define expm1(...) perturbed_expm1(__VA_ARGS__)
#define expm1f(...) perturbed_expm1f(__VA_ARGS__)
#define log(...) perturbed_log(__VA_ARGS__)
#define logf(...) perturbed_logf(__VA_ARGS__)
#define log2(...) perturbed_log2(__VA_ARGS__)
#define log2f(...) perturbed_log2f(__VA_ARGS__)
#define log10(...) perturbed_log10(__VA_ARGS__)
#define log10f(...) perturbed_log10f(__VA_ARGS__)
#define log1p(...) perturbed_log1p(__VA_ARGS__)
#define log1pf(...) perturbed_log1pf(__VA_ARGS__)
#define sin(...) perturbed_sin(__VA_ARGS__)
#define sinf(...) perturbed_sinf(__VA_ARGS__)
#define cos(...) perturbed_cos(__VA_ARGS__)
#define cosf(...) perturbed_cosf(__VA_ARGS__)
#define tan(...) perturbed_tan(__VA_ARGS__)
#define tanf(...) perturbed_tanf(__VA_ARGS__)
#define asin(...) perturbed_asin(__VA_ARGS__)
#define asinf(...) perturbed_asinf(__VA_ARGS__)
#define acos(...) perturbed_acos(__VA_ARGS__)
#define acosf(...) perturbed_acosf(__VA_ARGS__)
#define atan(...) perturbed_atan(__VA_ARGS__)
#define atanf(...) perturbed_atanf(__VA_ARGS__)
#define atan2(...) perturbed_atan2(__VA_ARGS__)
#define atan2f(...) perturbed_atan2f(__VA_ARGS__)
#define sinh(...) perturbed_sinh(__VA_ARGS__)
#define sinhf(...) perturbed_sinhf(__VA_ARGS__)
#define cosh(...) perturbed_cosh(__VA_ARGS__)
#define coshf(...) perturbed_coshf(__VA_ARGS__)
#define tanh(...) perturbed_tanh(__VA_ARGS__)
#define tanhf(...) perturbed_tanhf(__VA_ARGS__)
#define asinh(...) perturbed_asinh(__VA_ARGS__)
#define asinhf(...) perturbed_asinhf(__VA_ARGS__)
#define acosh(...) perturbed_acosh(__VA_ARGS__)
#define acoshf(...) perturbed_acoshf(__VA_ARGS__)
#define atanh(...) perturbed_atanh(__VA_ARGS__)
#define atanhf(...) perturbed_atanhf(__VA_ARGS__)
#define pow(...) perturbed_pow(__VA_ARGS__)
#define powf(...) perturbed_powf(__VA_ARGS__)
#define hypot(...) perturbed_hypot(__VA_ARGS__)
#define hypotf(...) perturbed_hypotf(__VA_ARGS__)
#define erf(...) perturbed_erf(__VA_ARGS__)
#define erff(...) perturbed_erff(__VA_ARGS__)
#define erfc(...) perturbed_erfc(__VA_ARGS__)
#define erfcf(...) perturbed_erfcf(__VA_ARGS__)
#define lgamma(...) perturbed_lgamma(__VA_ARGS__)
#define lgammaf(...) perturbed_lgammaf(__VA_ARGS__)
#define tgamma(...) perturbed_tgamma(__VA_ARGS__)
#define tgammaf(...) perturbed_tgammaf(__VA_ARGS__)
#define rsqrt(...) perturbed_rsqrt(__VA_ARGS__)
#define rsqrtf(...) perturbed_rsqrtf(__VA_ARGS__)
#define cbrt(...) perturbed_cbrt(__VA_ARGS__)
#define cbrtf(...) perturbed_cbrtf(__VA_ARGS__)
#define sinpi(...) perturbed_sinpi(__VA_ARGS__)
#define sinpif(...) perturbed_sinpif(__VA_ARGS__)
#define cospi(...) perturbed_cospi(__VA_ARGS__)
#define cospif(...) perturbed_cospif(__VA_ARGS__)
#define erfinv(...) perturbed_erfinv(__VA_ARGS__)
#define erfinvf(...) perturbed_erfinvf(__VA_ARGS__)

#endif
#endif
