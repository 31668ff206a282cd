/* join_rows.h: the loops of join (join_rows.c), for float32, float64 and int64. */
#ifndef TOCHA_INDEXING_CPU_JOIN_ROWS_H
#define TOCHA_INDEXING_CPU_JOIN_ROWS_H

#include "core/isa.h"
#include "ops/indexing/kernels.h"
#include "tensor/interruptible.h"
#include "tocha/types.h"

typedef struct tocha_join_rows_loops {
  /* Joins columns begin..end of one outer index; returns early once *stop is set. */
  void (*join)(const tocha_join_args *args, int64_t outer, int64_t begin, int64_t end,
               tocha_stop stop);
  /* Turns the sums of elements begin..end into means. */
  void (*mean)(const tocha_join_args *args, int64_t begin, int64_t end);
} tocha_join_rows_loops;

extern const tocha_join_rows_loops
    *const tocha_join_rows_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
