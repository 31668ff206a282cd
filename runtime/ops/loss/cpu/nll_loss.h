/* nll_loss.h: the loops of negative log likelihood (nll_loss.c), for float32 and float64. Targets were
 * checked. */
#ifndef TOCHA_NLL_LOSS_LOOPS_H
#define TOCHA_NLL_LOSS_LOOPS_H

#include "ops/loss/kernels.h"
#include "tensor/loops.h"
#include "tensor/pieces.h"

typedef struct tocha_nll_loss_loops {
  void (*each)(const tocha_nll_args *args, tocha_stop stop);     /* reduction none */
  void (*total)(const tocha_nll_args *args, tocha_stop stop);    /* reductions mean and sum */
  void (*gradient)(const tocha_nll_args *args, tocha_stop stop); /* backward */
} tocha_nll_loss_loops;

extern const tocha_nll_loss_loops
    *const tocha_nll_loss_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

/* The class of target i. */
static inline int64_t tocha_nll_class(const tocha_nll_args *args, int64_t i) {
  return args->target_dtype == TOCHA_UINT8 ? ((const uint8_t *)args->target)[i]
                                           : ((const int64_t *)args->target)[i];
}

#endif
