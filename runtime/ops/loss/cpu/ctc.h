/* ctc.h: the loops of connectionist temporal classification (ctc.c), for float32 and float64. Lengths and labels are checked by
 * the caller. */
#ifndef TOCHA_CTC_LOOPS_H
#define TOCHA_CTC_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/loops.h"
#include "tensor/interruptible.h"

/* log_probs (times, batch, classes), row-major. Targets of sequence n: targets[first[n] + i * step], for i below
 * target_lengths[n]. log_alpha (batch, times, states): the states of a sequence are its targets with blanks around each;
 * `states` is the maximum of their number. */
typedef struct tocha_ctc_args {
  const void *log_probs;
  const int64_t *targets, *first, *input_lengths, *target_lengths;
  int64_t step, times, batch, classes, states, blank;
  void *log_alpha, *likelihood; /* likelihood (batch): -log of the likelihood */
  /* backward: grad (batch), elements grad_step apart; out is shaped like log_probs; work: 2 * states for each sequence */
  const void *grad;
  int64_t grad_step;
  void *out, *work;
  bool zero_infinity;
} tocha_ctc_args;

typedef struct tocha_ctc_loops {
  void (*forward)(const tocha_ctc_args *a, int64_t begin, int64_t end,
                  tocha_stop stop); /* begin..end: sequences */
  void (*backward)(const tocha_ctc_args *a, int64_t begin, int64_t end, tocha_stop stop);
} tocha_ctc_loops;

extern const tocha_ctc_loops *const tocha_ctc_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
