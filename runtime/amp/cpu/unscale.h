/* unscale.h: the loop that unscales gradients (unscale.c), for float32 and float64. */
#ifndef TOCHA_UNSCALE_LOOPS_H
#define TOCHA_UNSCALE_LOOPS_H

#include "tensor/loops.h"

typedef struct tocha_unscale_loops {
  /* Multiplies x[0 .. n-1] by factor. Returns true if an element was infinite or NaN before. */
  bool (*scale)(void *x, int64_t n, double factor);
} tocha_unscale_loops;

extern const tocha_unscale_loops
    *const tocha_unscale_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
