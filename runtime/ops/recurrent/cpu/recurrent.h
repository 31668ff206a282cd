/* recurrent.h: the loops for one step of a recurrent layer (recurrent.c). */
#ifndef TOCHA_RECURRENT_H
#define TOCHA_RECURRENT_H

#include "ops/recurrent/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_recurrent_loops {
  /* Each computes rows begin..end of a step. */
  void (*forward)(const tocha_recurrent_args *args, int64_t begin, int64_t end);
  void (*backward)(const tocha_recurrent_args *args, int64_t begin, int64_t end);
} tocha_recurrent_loops;

extern const tocha_recurrent_loops
    *const tocha_recurrent_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
