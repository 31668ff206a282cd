/* sort_keys.h: the loops that turn elements into entries (sort_keys.c), for each type of
 * elements. */
#ifndef TOCHA_SORT_KEYS_LOOPS_H
#define TOCHA_SORT_KEYS_LOOPS_H

#include "ops/sorting/kernels.h"
#include "tensor/interruptible.h"
#include "tensor/loops.h"

typedef struct tocha_sort_keys_loops {
  /* Writes the entries of n elements, `stride` apart: wide ones (sort_entries.h) if `wide`. */
  void (*load)(const void *in, int64_t stride, int64_t n, bool descending, bool wide, void *entries,
               tocha_stop stop);
  /* Returns the number of elements that are not NaN. */
  int64_t (*count_numbers)(const void *in, int64_t stride, int64_t n, tocha_stop stop);
  /* Returns the place of the first NaN, or -1. */
  int64_t (*find_nan)(const void *in, int64_t stride, int64_t n, tocha_stop stop);
  /* Copies to[i * stride] = from[places[i] * stride] for i in 0..n. */
  void (*gather)(const void *from, const int64_t *places, int64_t stride, int64_t n, void *to);
  void (*unique)(const tocha_unique_args *args, tocha_stop stop);
  /* Writes the minimum and the maximum of n > 0 adjacent elements. */
  void (*range)(const void *in, int64_t n, void *range, tocha_stop stop);
} tocha_sort_keys_loops;

extern const tocha_sort_keys_loops
    *const tocha_sort_keys_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
