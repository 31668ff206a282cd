/* taps.h: loops that find the taps of a dimension (taps.c). */
#ifndef TOCHA_RESAMPLING_CPU_TAPS_H
#define TOCHA_RESAMPLING_CPU_TAPS_H

#include "ops/resampling/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_taps_loops {
  /* Writes positions and weights (count, out). Taps beyond the last one of an antialiased position
   * have weight 0. */
  void (*find)(const tocha_axis *axis, int64_t count, int64_t *positions, double *weights);
} tocha_taps_loops;

extern const tocha_taps_loops *const tocha_taps_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
