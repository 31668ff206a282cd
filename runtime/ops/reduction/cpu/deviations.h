/* deviations.h: the loops of variances (deviations.c), for float32 and float64. */
#ifndef TOCHA_DEVIATIONS_H
#define TOCHA_DEVIATIONS_H

#include "core/isa.h"
#include "tocha/types.h"

typedef struct tocha_deviations_loops {
  /* Returns the sum over n elements of x - center, or of its square, in float64. */
  double (*sum)(const void *in, int64_t n, double center, bool squared);
} tocha_deviations_loops;

extern const tocha_deviations_loops
    *const tocha_deviations_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
