/* norm_sums.h: the loops of norms (norm_sums.c), for float32 and float64. */
#ifndef TOCHA_NORM_SUMS_H
#define TOCHA_NORM_SUMS_H

#include "core/isa.h"
#include "tensor/interruptible.h"
#include "tocha/types.h"

/* Sums over n elements. They return early, with an unusable value, if *stop is set. */
typedef struct tocha_norm_sums_loops {
  double (*squares)(const void *in, int64_t n, tocha_stop stop);          /* the sum of x^2 */
  double (*sizes)(const void *in, int64_t n, tocha_stop stop);            /* the sum of |x| */
  double (*powers)(const void *in, int64_t n, double p, tocha_stop stop); /* the sum of |x|^p */
} tocha_norm_sums_loops;

extern const tocha_norm_sums_loops
    *const tocha_norm_sums_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
