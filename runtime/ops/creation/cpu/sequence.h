/* sequence.h: the loops of evenly spaced sequences (sequence.c), by the dtype of their elements. */
#ifndef TOCHA_SEQUENCE_LOOPS_H
#define TOCHA_SEQUENCE_LOOPS_H

#include "ops/creation/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_sequence_loops {
  /* Write elements begin..end of args->out, by args->kind. */
  void (*kinds[TOCHA_SEQUENCE_KINDS])(const tocha_sequence_args *args, int64_t begin, int64_t end);
} tocha_sequence_loops;

extern const tocha_sequence_loops
    *const tocha_sequence_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
