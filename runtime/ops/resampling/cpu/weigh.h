/* weigh.h: elements as weighted sums of a few of their dimension (weigh.c). */
#ifndef TOCHA_WEIGH_H
#define TOCHA_WEIGH_H

#include "ops/resampling/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_weigh_loops {
  /* Rows begin..end, of outer * n rows of inner elements; of outer rows of n where inner is 1. */
  void (*weigh)(const tocha_weigh_args *args, int64_t begin, int64_t end);
  /* Lines begin..end of all planes. */
  void (*blend)(const tocha_blend_args *args, int64_t begin, int64_t end);
} tocha_weigh_loops;

extern const tocha_weigh_loops *const tocha_weigh_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
