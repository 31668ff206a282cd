/* softmax.h: the loops of softmax and log_softmax (softmax.c), for float32 and float64. */
#ifndef TOCHA_SOFTMAX_LOOPS_H
#define TOCHA_SOFTMAX_LOOPS_H

#include "tensor/interruptible.h"
#include "tensor/loops.h"

enum { TOCHA_SOFTMAX_COLUMNS = 256 }; /* maximum columns of one call */

/* All loops return early, with unfinished results, once *stop is set. */
typedef struct tocha_softmax_loops {
  /* Computes in (rows, n) into out; they do not overlap. rounds: the dtype that sums and their logarithms are rounded to, or 0. */
  void (*rows)(const void *in, void *out, int64_t rows, int64_t n, bool log, int rounds,
               tocha_stop stop);
  /* Computes the gradient of the input (rows, n) from grad and out, the forward's result. */
  void (*rows_backward)(const void *grad, const void *out, void *grad_in, int64_t rows, int64_t n,
                        bool log, tocha_stop stop);
  /* Compute the same along `width` columns of n rows that are `stride` elements apart. */
  void (*columns)(const void *in, void *out, int64_t n, int64_t stride, int64_t width, bool log,
                  tocha_stop stop);
  void (*columns_backward)(const void *grad, const void *out, void *grad_in, int64_t n,
                           int64_t stride, int64_t width, bool log, tocha_stop stop);
} tocha_softmax_loops;

extern const tocha_softmax_loops
    *const tocha_softmax_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
