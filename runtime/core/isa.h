/* isa.h: the instruction sets that loops are compiled for, and the one of this processor. */
#ifndef TOCHA_ISA_H
#define TOCHA_ISA_H

#include "tocha/types.h"

typedef enum tocha_isa {
  TOCHA_ISA_BASELINE,
  TOCHA_ISA_AVX2,   /* with FMA, F16C and BMI2 */
  TOCHA_ISA_AVX512, /* F, DQ, BW, VL */
  TOCHA_ISA_COUNT
} tocha_isa;

/* Returns the best set up to `limit` that both this processor and the build have, or TOCHA_ISA_COUNT if there is none (a build
 * with TOCHA_LOOPS=native runs on another processor). */
tocha_isa tocha_best_isa(tocha_isa limit);

/* Returns the set that contexts use: the best one up to the set that the environment variable TOCHA_ISA names (baseline, avx2,
 * avx512). It is chosen once, for the first context, or by the first call without one (NULL). */
tocha_isa tocha_choose_isa(const tocha_context *cx);
tocha_isa tocha_this_isa(void);

#endif
