/* loss.h: the loops of losses that work element by element (loss.c), for float32 and float64. */
#ifndef TOCHA_LOSS_LOOPS_H
#define TOCHA_LOSS_LOOPS_H

#include "tensor/loops.h"

/* Flags for operands that are not between 0 and 1, as binary cross entropy requires. */
enum { TOCHA_LOSS_BAD_INPUT = 1, TOCHA_LOSS_BAD_TARGET = 2 };

typedef struct tocha_loss_loops {
  /* Computes out = tocha_loss(kind, order, p, input, target) * norm (* factor, if `scaled`) for n elements of the four
   * operands. Strides are in bytes. Returns TOCHA_LOSS_BAD_* flags. */
  unsigned (*run)(int kind, int order, double p, double norm, bool scaled, char *const *data,
                  const int64_t *strides, int64_t n);
} tocha_loss_loops;

extern const tocha_loss_loops *const tocha_loss_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
