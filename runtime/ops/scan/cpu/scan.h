/* scan.h: the loops of scans (scan.c), for float32, float64 and int64. */
#ifndef TOCHA_SCAN_LOOPS_H
#define TOCHA_SCAN_LOOPS_H

#include "tensor/loops.h"

enum { TOCHA_SCAN_COLUMNS = 64 }; /* columns of one call, at most */

/* What is known of the elements so far, by column (a row is one column); the member of the loops'
 * type counts. */
typedef struct tocha_scan_state {
  union {
    double real[TOCHA_SCAN_COLUMNS];
    uint64_t integer[TOCHA_SCAN_COLUMNS];
  } total; /* sum or product */
  union {
    float float32[TOCHA_SCAN_COLUMNS];
    double float64[TOCHA_SCAN_COLUMNS];
    int64_t int64[TOCHA_SCAN_COLUMNS];
  } best;                            /* the extreme ... */
  int64_t index[TOCHA_SCAN_COLUMNS]; /* ... and where it is; -1: there is no element yet */
} tocha_scan_state;

typedef struct tocha_scan_loops {
  /* The first n elements of a row, or (first > 0) those from index `first` on, `step` elements apart
   * in `in`, `out` and indices; a negative step goes from the end. indices may be NULL for sums and
   * products. */
  void (*row)(int kind, tocha_scan_state *state, const void *in, void *out, int64_t *indices,
              int64_t step, int64_t first, int64_t n);
  void (*start_columns)(int kind, tocha_scan_state *state, int64_t width);
  /* Goes on by one element of each of `width` columns, all at `index`. */
  void (*columns)(int kind, tocha_scan_state *state, const void *in, void *out, int64_t *indices,
                  int64_t index, int64_t width);
} tocha_scan_loops;

extern const tocha_scan_loops *const tocha_scan_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
