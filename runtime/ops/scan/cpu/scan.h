/* scan.h: the loops of scans (scan.c), for float32, float64 and int64. */
#ifndef TOCHA_SCAN_LOOPS_H
#define TOCHA_SCAN_LOOPS_H

#include "tensor/loops.h"

enum { TOCHA_SCAN_COLUMNS = 64 }; /* maximum number of columns in one call */

/* The state of a scan for each column (a row is a single column). The loops use the union member of
 * their type. */
typedef struct tocha_scan_state {
  union {
    double real[TOCHA_SCAN_COLUMNS];
    uint64_t integer[TOCHA_SCAN_COLUMNS];
  } total; /* sum or product */
  union {
    float float32[TOCHA_SCAN_COLUMNS];
    double float64[TOCHA_SCAN_COLUMNS];
    int64_t int64[TOCHA_SCAN_COLUMNS];
  } best;                            /* the extreme */
  int64_t index[TOCHA_SCAN_COLUMNS]; /* its index; -1 before the first element */
} tocha_scan_state;

typedef struct tocha_scan_loops {
  /* Scans n elements of a row, `step` elements apart in `in`, `out` and indices. A negative step
   * scans from the end. Restarts the state if first, the index of the first element, is 0. indices
   * may be NULL for sums and products. */
  void (*row)(int kind, tocha_scan_state *state, const void *in, void *out, int64_t *indices,
              int64_t step, int64_t first, int64_t n);
  void (*start_columns)(int kind, tocha_scan_state *state, int64_t width);
  /* Continues each of `width` columns by one element at `index`. */
  void (*columns)(int kind, tocha_scan_state *state, const void *in, void *out, int64_t *indices,
                  int64_t index, int64_t width);
} tocha_scan_loops;

extern const tocha_scan_loops *const tocha_scan_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
