/* bag.h: the loops over bags of rows (bag.c), by the dtype of the elements. */
#ifndef TOCHA_BAG_LOOPS_H
#define TOCHA_BAG_LOOPS_H

#include "ops/indexing/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_bag_loops {
  /* Compute the sums or means, and the maxima, of bags begin..end. */
  void (*sum)(const tocha_bag_args *args, int64_t begin, int64_t end);
  void (*maxima)(const tocha_bag_args *args, int64_t begin, int64_t end);
  /* Computes rows begin..end of the table's gradient. */
  void (*add)(const tocha_bag_args *args, int64_t begin, int64_t end);
  /* Computes the gradients of factors begin..end. */
  void (*dot)(const tocha_bag_args *args, int64_t begin, int64_t end);
} tocha_bag_loops;

extern const tocha_bag_loops *const tocha_bag_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
