/* index.h: the loops that read and write through index tensors (index.c), by the type of the elements. */
#ifndef TOCHA_INDEX_LOOPS_H
#define TOCHA_INDEX_LOOPS_H

#include "ops/indexing/kernels.h"
#include "tensor/loops.h"

/* data and strides (bytes): the operands of args->layout. */
typedef void tocha_index_loop(const tocha_index_args *args, char *const *data,
                              const int64_t *strides, int64_t n);

/* By the action. */
typedef struct tocha_index_loops {
  tocha_index_loop *elements[TOCHA_INDEX_ACTIONS]; /* n elements */
  /* n rows of as many elements as dimension 0 of the layout has; no index tensor moves along it. */
  tocha_index_loop *rows[TOCHA_INDEX_ACTIONS];
  /* Whether any of n dense positions is out of range; the same for each type. */
  bool (*any_outside)(const int64_t *index, int64_t n, int64_t low, int64_t size);
} tocha_index_loops;

extern const tocha_index_loops *const tocha_index_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

/* The position at `at` of an index tensor, in range, as a distance; wide: int64, else int32. */
static inline int64_t tocha_index_distance(const tocha_index_axis *axis, bool wide,
                                           const char *at) {
  int64_t i = wide ? *(const int64_t *)(const void *)at : *(const int32_t *)(const void *)at;
  return (i < 0 ? i + axis->size : i) * axis->step;
}

#endif
