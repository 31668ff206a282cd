/* ctc.h: the loops of connectionist temporal classification (ctc.c), for float32 and float64. Lengths and labels are checked by
 * the caller. */
#ifndef TOCHA_CTC_LOOPS_H
#define TOCHA_CTC_LOOPS_H

#include "ops/loss/kernels.h"
#include "tensor/loops.h"
#include "tensor/interruptible.h"

typedef struct tocha_ctc_loops {
  void (*forward)(const tocha_ctc_args *a, int64_t begin, int64_t end,
                  tocha_stop stop); /* begin..end: sequences */
  void (*backward)(const tocha_ctc_args *a, int64_t begin, int64_t end, tocha_stop stop);
} tocha_ctc_loops;

extern const tocha_ctc_loops *const tocha_ctc_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
