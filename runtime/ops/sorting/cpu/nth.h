/* nth.h: the loop that finds the element of a rank (nth.c), for each type of elements. */
#ifndef TOCHA_NTH_LOOPS_H
#define TOCHA_NTH_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "tensor/interruptible.h"
#include "tensor/loops.h"

typedef struct tocha_nth_loops {
  /* Returns the place of the element of rank `rank` (from 0) among n elements, `stride` apart.
   * Equal elements are ranked by place. keys: scratch for n numbers of 8 bytes. */
  int64_t (*nth)(const void *in, int64_t stride, int64_t n, int64_t rank, void *keys,
                 tocha_stop stop);
} tocha_nth_loops;

extern const tocha_nth_loops *const tocha_nth_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
