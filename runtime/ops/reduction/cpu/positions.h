/* positions.h: the loops that find the position of an extreme (positions.c), for every type of
 * elements (loops.cmake). */
#ifndef TOCHA_POSITIONS_H
#define TOCHA_POSITIONS_H

#include "core/isa.h"
#include "tocha/types.h"

typedef struct tocha_positions_loops {
  /* Returns the first position of the maximum, or minimum, of n > 0 adjacent elements. NaN counts
   * as the extreme. */
  int64_t (*find)(bool max, const void *in, int64_t n);
  /* Updates the extremes of `width` columns and their positions with one more row, at position
   * `at`. */
  void (*step)(bool max, void *best, int64_t *index, const void *in, int64_t width, int64_t at);
} tocha_positions_loops;

extern const tocha_positions_loops
    *const tocha_positions_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
