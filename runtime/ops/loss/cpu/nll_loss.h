/* nll_loss.h: the loops of negative log likelihood (nll_loss.c), for float32 and float64. */
#ifndef TOCHA_NLL_LOSS_LOOPS_H
#define TOCHA_NLL_LOSS_LOOPS_H

#include "ops/loss/kernels.h"
#include "tensor/loops.h"
#include "tensor/interruptible.h"

/* The first target that is out of range. Loops treat such targets as ignored. */
typedef struct tocha_nll_bad {
  bool found;
  int64_t class;
} tocha_nll_bad;

typedef void tocha_nll_loop(const tocha_nll_args *args, tocha_stop stop, tocha_nll_bad *bad);

typedef struct tocha_nll_loss_loops {
  tocha_nll_loop *each;     /* reduction none */
  tocha_nll_loop *total;    /* reductions mean and sum */
  tocha_nll_loop *gradient; /* backward */
} tocha_nll_loss_loops;

extern const tocha_nll_loss_loops
    *const tocha_nll_loss_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
