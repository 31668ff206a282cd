/* distance.h: the loops of distances between rows (distance.c), for float32 and float64. */
#ifndef TOCHA_REDUCTION_CPU_DISTANCE_H
#define TOCHA_REDUCTION_CPU_DISTANCE_H

#include "core/isa.h"
#include "ops/reduction/kernels.h"
#include "tensor/interruptible.h"
#include "tocha/types.h"

typedef struct tocha_distance_loops {
  void (*find)(const tocha_distance_args *args, int64_t begin,
               int64_t end); /* writes outputs begin..end */
  /* Writes the gradients of rows begin..end of all batches. Returns early if *stop is set. */
  void (*backward)(const tocha_distance_backward_args *args, int64_t begin, int64_t end,
                   tocha_stop stop);
} tocha_distance_loops;

extern const tocha_distance_loops
    *const tocha_distance_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
