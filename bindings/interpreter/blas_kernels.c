/* blas_kernels.c: OpenBLAS's kernels for processors that are newer than OpenBLAS. */
#include <stdlib.h>

#include "interpreter/interpreter.h"
#include "platform/platform.h"

#ifdef __x86_64__
static const char *kernels_for_this_processor(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
  return NULL;
}
#else
static const char *kernels_for_this_processor(void) { return NULL; }
#endif

void choose_blas_kernels(void) {
  static const char variable[] = "OPENBLAS_CORETYPE";
  const char *kernels = getenv(variable) ? NULL : kernels_for_this_processor();
  if (kernels) platform_set_variable(variable, kernels);
}
