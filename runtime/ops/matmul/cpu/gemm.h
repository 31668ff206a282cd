/* gemm.h: the matrix product in plain C (gemm.c), for one thread: for integers, and for all types if there is no BLAS. */
#ifndef TOCHA_GEMM_LOOPS_H
#define TOCHA_GEMM_LOOPS_H

#include "tensor/interruptible.h"
#include "tensor/loops.h"

/* c (m, n), rows of unit stride = alpha * a (m, k) @ b (k, n) + beta * c. Strides in elements, of any value. With beta 0, c is
 * not read. */
typedef struct tocha_gemm_block {
  int64_t m, n, k;
  const void *a, *b;
  void *c;
  int64_t a_row, a_column, b_row, b_column, c_row;
  tocha_scalar alpha, beta;
  tocha_stop stop; /* once it is set, c stays unfinished */
} tocha_gemm_block;

/* rows and columns of b that are packed at a time */
enum { TOCHA_GEMM_BLOCK_K = 256, TOCHA_GEMM_BLOCK_N = 512 };

typedef struct tocha_gemm_loops {
  /* packed: memory for a packed block of b, whose width is a multiple of 128 bytes; aligned to 64. */
  void (*multiply)(const tocha_gemm_block *g, void *packed);
} tocha_gemm_loops;

extern const tocha_gemm_loops *const tocha_gemm_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

#endif
