/* index.h: the loops that read and write through index tensors (index.c), by the dtype of the elements. */
#ifndef TOCHA_INDEX_LOOPS_H
#define TOCHA_INDEX_LOOPS_H

#include "ops/indexing/kernels.h"
#include "tensor/loops.h"

/* data and strides (bytes): the operands of args->layout. */
typedef void tocha_index_loop(const tocha_index_args *args, char *const *data,
                              const int64_t *strides, int64_t n);

/* Loops for each action (TOCHA_INDEX_GET, ...). */
typedef struct tocha_index_loops {
  tocha_index_loop *elements[TOCHA_INDEX_ACTIONS]; /* over n elements */
  /* Over n rows, each along dimension 0 of the layout, along which no index tensor changes. */
  tocha_index_loop *rows[TOCHA_INDEX_ACTIONS];
  /* Returns true if any of n dense positions is out of low..size - 1. It is the same for each dtype. */
  bool (*any_outside)(const int64_t *index, int64_t n, int64_t low, int64_t size);
} tocha_index_loops;

extern const tocha_index_loops *const tocha_index_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

/* Returns position i counted from the start. Positions were checked, but another thread may have written to them since. If i is
 * out of range now, sets *outside and returns the first position. */
static inline int64_t tocha_index_position(int64_t i, int64_t size, bool *outside) {
  int64_t position = i < 0 ? i + size : i;
  bool bad = (uint64_t)position >= (uint64_t)size;
  *outside |= bad;
  return bad ? 0 : position;
}

/* Reads the position at `at` of an index tensor (wide: int64, else int32) and returns its distance in memory from the start. */
static inline int64_t tocha_index_distance(const tocha_index_axis *axis, bool wide, const char *at,
                                           bool *outside) {
  int64_t i = wide ? *(const int64_t *)(const void *)at : *(const int32_t *)(const void *)at;
  return tocha_index_position(i, axis->size, outside) * axis->step;
}

/* Sets the flag that the caller of a kernel reads if `outside` is true. The kernel may run in several threads. */
static inline void tocha_index_report(int *flag, bool outside) {
  if (outside) __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}

#endif
