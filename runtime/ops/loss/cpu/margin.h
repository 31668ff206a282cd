/* margin.h: the loops of multi_margin_loss and multilabel_margin_loss (margin.c), for float32 and float64. Targets are checked
 * by the caller. */
#ifndef TOCHA_MARGIN_LOOPS_H
#define TOCHA_MARGIN_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/loops.h"
#include "tensor/interruptible.h"

/* x (rows, classes). Forward: out (rows) gets a loss for each row. Backward (grad is given): out is shaped like x. grad has an
 * element for each row, or one for all (`each` is false). */
typedef struct tocha_margin_args {
  const void *x, *weight, *grad; /* weight (classes), or NULL */
  const int64_t *target;         /* (rows); or (rows, classes), up to each row's first -1 */
  void *out;
  int64_t rows, classes;
  double margin, norm; /* norm: a factor of grad */
  bool squared, each;
} tocha_margin_args;

typedef struct tocha_margin_loops {
  void (*one)(const tocha_margin_args *a, int64_t begin, int64_t end,
              tocha_stop stop); /* one: one target a row */
  void (*one_backward)(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop);
  void (*many)(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop);
  void (*many_backward)(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop);
} tocha_margin_loops;

extern const tocha_margin_loops *const tocha_margin_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
