/* sort_entries.h: sorting entries, each an unsigned key of the order of the elements and the place where the
 * element was (sort_entries.c). They are sorted by their keys; equal ones keep their order. */
#ifndef TOCHA_SORT_ENTRIES_LOOPS_H
#define TOCHA_SORT_ENTRIES_LOOPS_H

#include <stdatomic.h>
#include <stddef.h>

#include "tensor/loops.h"

/* For elements of 8 bytes, or rows of more elements than 32 bits can count. */
typedef struct tocha_wide_entry {
  uint64_t key;
  int64_t index;
} tocha_wide_entry;

/* For the others: the key above the place. */
typedef uint64_t tocha_narrow_entry;

typedef struct tocha_sort_entries_loops {
  size_t size; /* of an entry */
  /* work: room for n entries. Unfinished once *stop is set: the caller's result is then thrown away. */
  void (*sort)(void *entries, void *work, int64_t n, const atomic_int *stop);
  /* The places of the first n entries. */
  void (*places)(const void *entries, int64_t n, int64_t *places);
} tocha_sort_entries_loops;

/* Compiled for int32 (narrow entries) and int64 (wide ones). */
extern const tocha_sort_entries_loops
    *const tocha_sort_entries_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
