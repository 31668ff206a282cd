/* sort_entries.h: sorts entries (sort_entries.c). An entry is an unsigned key, with the order of
 * the elements, and the place of its element. Entries are sorted by key, and the sort is stable. */
#ifndef TOCHA_SORT_ENTRIES_LOOPS_H
#define TOCHA_SORT_ENTRIES_LOOPS_H

#include <stddef.h>

#include "tensor/interruptible.h"
#include "tensor/loops.h"

/* An entry for elements of 8 bytes, or rows with more elements than 32 bits can count. */
typedef struct tocha_wide_entry {
  uint64_t key;
  int64_t index;
} tocha_wide_entry;

/* An entry for the other cases: the key in the upper bits, the place in the lower. */
typedef uint64_t tocha_narrow_entry;

typedef struct tocha_sort_entries_loops {
  size_t size; /* of an entry */
  /* Sorts n entries. work: scratch for n entries. If *stop is set it returns early, and the caller
   * discards the result. */
  void (*sort)(void *entries, void *work, int64_t n, tocha_stop stop);
  /* Writes the places of the first n entries. */
  void (*places)(const void *entries, int64_t n, int64_t *places);
} tocha_sort_entries_loops;

/* Compiled for int32 (narrow entries) and int64 (wide ones). */
extern const tocha_sort_entries_loops
    *const tocha_sort_entries_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
