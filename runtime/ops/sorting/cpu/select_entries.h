/* select_entries.h: the loops that select among entries (sort_entries.h) by rank
 * (select_entries.c). If *stop is set they return early, and the caller discards the result. */
#ifndef TOCHA_SELECT_ENTRIES_LOOPS_H
#define TOCHA_SELECT_ENTRIES_LOOPS_H

#include "ops/sorting/cpu/sort_entries.h"

typedef struct tocha_select_entries_loops {
  /* Moves the first k > 0 entries of the order to the front, in order if `sorted`. */
  void (*top)(void *entries, int64_t n, int64_t k, bool sorted, tocha_stop stop);
  /* Returns the place of the entry at a rank (from 1), as kthvalue finds it. */
  int64_t (*kth)(void *entries, int64_t n, int64_t rank, tocha_stop stop);
  /* Returns the rank of the last entry of the most frequent key, the first of several such keys,
   * and writes its count. The entries must be sorted, unless `nans` is set. Then the maximum key is
   * NaN's, which equals no other and is unordered, and this function sorts in the steps of the C++
   * library. */
  int64_t (*mode)(void *entries, int64_t n, bool nans, int64_t *count, tocha_stop stop);
  /* Returns the place of the entry that the C++ library's sort would put at a rank. */
  int64_t (*at_rank)(void *entries, int64_t n, int64_t rank, tocha_stop stop);
} tocha_select_entries_loops;

/* Compiled for int32 (narrow entries) and int64 (wide ones). */
extern const tocha_select_entries_loops
    *const tocha_select_entries_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
