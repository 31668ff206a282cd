/* weigh.h: loops that compute elements as weighted sums of a few elements of their dimension
 * (weigh.c). */
#ifndef TOCHA_WEIGH_H
#define TOCHA_WEIGH_H

#include "ops/resampling/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_weigh_loops {
  /* Computes rows begin..end: of the outer * n rows of inner elements, or, if inner is 1, of the
   * outer rows of n elements. */
  void (*weigh)(const tocha_weigh_args *args, int64_t begin, int64_t end);
  /* Computes lines begin..end of all planes. */
  void (*blend)(const tocha_blend_args *args, int64_t begin, int64_t end);
} tocha_weigh_loops;

extern const tocha_weigh_loops *const tocha_weigh_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
