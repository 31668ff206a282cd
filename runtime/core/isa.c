/* isa.c: the instruction set of this processor. */
#include "core/isa.h"
#include "tocha/context.h"

static bool processor_has(tocha_isa isa) {
#ifdef TOCHA_X86_KERNELS
  __builtin_cpu_init();
  if (isa == TOCHA_ISA_AVX512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (isa == TOCHA_ISA_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
  return isa == TOCHA_ISA_BASELINE;
}

tocha_isa tocha_this_isa(void) {
  for (int isa = TOCHA_ISA_COUNT - 1; isa >= 0; isa--)
    if (tocha_isa_is_built[isa] && processor_has((tocha_isa)isa)) return (tocha_isa)isa;
  return TOCHA_ISA_COUNT;
}

const char *tocha_isa_name(tocha_isa isa) {
  static const char *const names[] = {"baseline", "avx2", "avx512", "none"};
  return names[isa];
}

const char *tocha_instruction_set(void) { return tocha_isa_name(tocha_this_isa()); }
