/* margin.h: the loops of multi_margin_loss and multilabel_margin_loss (margin.c), for float32 and float64; targets were checked. */
#ifndef TOCHA_MARGIN_LOOPS_H
#define TOCHA_MARGIN_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/loops.h"
#include "tensor/pieces.h"

/* x (rows, classes). Forward: out, a loss for each row. Backward (grad): out, shaped as x; grad has an element for each row, or
 * one for all (each false). */
typedef struct tocha_margin_args {
  const void *x, *weight, *grad; /* weight: of each class, or NULL */
  const int64_t *target; /* a class for each row; or (rows, classes), up to the first -1 of each */
  void *out;
  int64_t rows, classes;
  double margin, norm; /* norm: what grad is multiplied by */
  bool squared, each;
} tocha_margin_args;

typedef struct tocha_margin_loops {
  void (*one)(const tocha_margin_args *a, int64_t begin, int64_t end,
              tocha_stop stop); /* target: one class */
  void (*one_backward)(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop);
  void (*many)(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop);
  void (*many_backward)(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop);
} tocha_margin_loops;

extern const tocha_margin_loops *const tocha_margin_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
