/* isa.c: the instruction set of this processor. */
#include "core/isa.h"
#include "tocha/context.h"

tocha_isa tocha_this_isa(void) {
#ifdef TOCHA_X86_KERNELS
  __builtin_cpu_init();
#ifdef TOCHA_AVX512_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return TOCHA_ISA_AVX512;
#endif
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return TOCHA_ISA_AVX2;
#endif
  return TOCHA_ISA_BASELINE;
}

const char *tocha_isa_name(tocha_isa isa) {
  static const char *const names[TOCHA_ISA_COUNT] = {"baseline", "avx2", "avx512"};
  return names[isa];
}

const char *tocha_instruction_set(void) { return tocha_isa_name(tocha_this_isa()); }
