/* move.h: the loops that move elements unchanged (move.c), by the size of an element. */
#ifndef TOCHA_MOVE_LOOPS_H
#define TOCHA_MOVE_LOOPS_H

#include "tensor/loops.h"

typedef struct tocha_move_loops {
  /* Copies n elements; strides in bytes. */
  void (*copy)(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n);
  /* Transposes a tile: `to` is dense along the rows, `from` along the columns; strides in bytes. */
  void (*transpose)(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                    int64_t rows, int64_t columns);
  /* Writes one element n times. Its bytes are the first bytes of `element`. */
  void (*fill)(char *to, int64_t to_stride, uint64_t element, int64_t n);
} tocha_move_loops;

/* Compiled for one type of each size. */
extern const tocha_move_loops *const tocha_move_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

/* Returns the type whose loops move elements of this many bytes. The table has loops for these
 * four types only. */
static inline tocha_dtype tocha_moved_type(int64_t bytes) {
  return bytes == 1   ? TOCHA_UINT8
         : bytes == 2 ? TOCHA_INT16
         : bytes == 4 ? TOCHA_INT32
                      : TOCHA_INT64;
}

#endif
