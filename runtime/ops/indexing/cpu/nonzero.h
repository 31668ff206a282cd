/* nonzero.h: the loops that count and find nonzero elements (nonzero.c). */
#ifndef TOCHA_NONZERO_LOOPS_H
#define TOCHA_NONZERO_LOOPS_H

#include "ops/indexing/kernels.h"
#include "tensor/loops.h"

typedef struct tocha_nonzero_loops {
  /* Returns the number of nonzero elements among begin..end, at most TOCHA_NONZERO_TILE of them. */
  int64_t (*count)(const void *flags, int64_t begin, int64_t end);
  /* Writes the numbers of the nonzero elements among begin..end to found, and returns how many there are. found: memory for
   * TOCHA_NONZERO_TILE + 1. */
  int64_t (*find)(const void *flags, int64_t begin, int64_t end, int64_t *found);
} tocha_nonzero_loops;

extern const tocha_nonzero_loops
    *const tocha_nonzero_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
