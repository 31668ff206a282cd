/* positions.h: the loops that find where an extreme is (positions.c), for every type of elements (loops.cmake). */
#ifndef TOCHA_POSITIONS_H
#define TOCHA_POSITIONS_H

#include "core/isa.h"
#include "tocha/types.h"

typedef struct tocha_positions_loops {
  /* The first position of the greatest, or least, of n > 0 neighbours; of NaN, where there is one. */
  int64_t (*find)(bool max, const void *in, int64_t n);
  /* The extremes of columns and their positions, against one more row at position `at`. */
  void (*step)(bool max, void *best, int64_t *index, const void *in, int64_t width, int64_t at);
} tocha_positions_loops;

extern const tocha_positions_loops
    *const tocha_positions_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
