/* sort_keys.h: the loops that make entries to sort of elements (sort_keys.c), by the type of the elements. */
#ifndef TOCHA_SORT_KEYS_LOOPS_H
#define TOCHA_SORT_KEYS_LOOPS_H

#include <stdatomic.h>

#include "ops/sorting/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_sort_keys_loops {
  /* The entries of n elements, `stride` of them apart: wide ones (sort_entries.h) where `wide`. */
  void (*load)(const void *in, int64_t stride, int64_t n, bool descending, bool wide, void *entries,
               const atomic_int *stop);
  /* How many of them are not NaN. */
  int64_t (*count_numbers)(const void *in, int64_t stride, int64_t n, const atomic_int *stop);
  /* The place of the first NaN, or -1. */
  int64_t (*find_nan)(const void *in, int64_t stride, int64_t n, const atomic_int *stop);
  /* to[i * stride] = from[places[i] * stride] for i in 0..n. */
  void (*gather)(const void *from, const int64_t *places, int64_t stride, int64_t n, void *to);
  void (*unique)(const tocha_unique_args *args, const atomic_int *stop);
  /* The least and the greatest of n > 0 neighbours. */
  void (*range)(const void *in, int64_t n, void *range, const atomic_int *stop);
} tocha_sort_keys_loops;

extern const tocha_sort_keys_loops
    *const tocha_sort_keys_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
