/* convert.h: the loops that convert elements (convert.c), one table for each type that they
 * convert to. */
#ifndef TOCHA_CONVERT_LOOPS_H
#define TOCHA_CONVERT_LOOPS_H

#include "tensor/convert.h"
#include "tensor/loops.h"

typedef struct tocha_convert_loops {
  tocha_converter from[TOCHA_DTYPE_COUNT]; /* by the type of the source */
} tocha_convert_loops;

extern const tocha_convert_loops
    *const tocha_convert_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
