/* norm.h: the loops of normalization (norm.c), for float32 and float64. begin..end are sets for forward and backward, and
 * channels for weights. */
#ifndef TOCHA_NORM_LOOPS_H
#define TOCHA_NORM_LOOPS_H

#include "ops/normalization/kernels.h"
#include "tensor/loops.h"
#include "tensor/interruptible.h"

/* maximum number of sets, with one element a run, that are processed side by side */
enum { TOCHA_NORM_PANEL = 1024 };

/* All loops return early, with unfinished results, once *stop is set. */
typedef struct tocha_norm_loops {
  void (*forward)(const tocha_norm_args *args, int64_t begin, int64_t end, tocha_stop stop);
  void (*backward)(const tocha_norm_args *args, int64_t begin, int64_t end, tocha_stop stop);
  void (*weights)(const tocha_norm_args *args, int64_t begin, int64_t end, tocha_stop stop);
} tocha_norm_loops;

extern const tocha_norm_loops *const tocha_norm_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
