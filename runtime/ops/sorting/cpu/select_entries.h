/* select_entries.h: the loops that select among entries (sort_entries.h) by rank (select_entries.c). They are unfinished
 * once *stop is set: the caller's result is then thrown away. */
#ifndef TOCHA_SELECT_ENTRIES_LOOPS_H
#define TOCHA_SELECT_ENTRIES_LOOPS_H

#include "ops/sorting/cpu/sort_entries.h"

typedef struct tocha_select_entries_loops {
  /* Puts the k > 0 first of the order at the front: in order where `sorted`. */
  void (*top)(void *entries, int64_t n, int64_t k, bool sorted, const atomic_int *stop);
  /* The place of an entry at a rank (from 1), as kthvalue finds it. */
  int64_t (*kth)(void *entries, int64_t n, int64_t rank, const atomic_int *stop);
  /* The rank of the last entry of the most frequent key, of several keys the first, and how often it occurs. The
   * entries are in order; or nans: they are not, and the greatest key is NaN's, which equals nothing and has no place
   * in the order: they are then put where the C++ library's sort would. */
  int64_t (*mode)(void *entries, int64_t n, bool nans, int64_t *count, const atomic_int *stop);
  /* The place of the entry that the C++ library's sort would put at a rank. */
  int64_t (*at_rank)(void *entries, int64_t n, int64_t rank, const atomic_int *stop);
} tocha_select_entries_loops;

/* Compiled for int32 (narrow entries) and int64 (wide ones). */
extern const tocha_select_entries_loops
    *const tocha_select_entries_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
