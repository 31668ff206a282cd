/* pool.h: loops that pool planes (pool.c). */
#ifndef TOCHA_POOL_H
#define TOCHA_POOL_H

#include "ops/pooling/kernels.h"
#include "tensor/loops.h"
#include "tensor/interruptible.h"

/* max and average compute lines begin..end of the results, counted over all planes;
 * average_backward computes planes begin..end. They return early if *stop is set. */
typedef struct tocha_pool_loops {
  void (*max)(const tocha_pool_args *args, int64_t begin, int64_t end, tocha_stop stop);
  void (*average)(const tocha_pool_args *args, int64_t begin, int64_t end, tocha_stop stop);
  void (*average_backward)(const tocha_pool_args *args, int64_t begin, int64_t end,
                           tocha_stop stop);
} tocha_pool_loops;

extern const tocha_pool_loops *const tocha_pool_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
