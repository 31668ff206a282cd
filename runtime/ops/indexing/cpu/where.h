/* where.h: the loops that select one of two elements by a condition (where.c), by the size of an element. */
#ifndef TOCHA_WHERE_LOOPS_H
#define TOCHA_WHERE_LOOPS_H

#include "tensor/loops.h"

typedef struct tocha_where_loops {
  /* Selects n elements. Operands: 0 out, 1 the condition (a byte), 2 and 3 the values. Strides are in bytes. Operand 3 may be
   * the output. */
  void (*where)(char *const *data, const int64_t *strides, int64_t n);
} tocha_where_loops;

/* Compiled for one type of each size (tocha_moved_type). */
extern const tocha_where_loops *const tocha_where_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
