/* gemm_loops.h: the matrix product written in plain C, for one thread: for integers, and for
 * everything where there is no BLAS. */
#ifndef TOCHA_GEMM_LOOPS_H
#define TOCHA_GEMM_LOOPS_H

#include "core/internal.h"

/* c (m, n), rows of unit stride = alpha * a (m, k) @ b (k, n) + beta * c. Strides in elements, of
 * any value. With beta 0 what c held does not matter. pack: scratch of tocha_gemm_scratch bytes. */
typedef struct tocha_gemm {
  int64_t m, n, k;
  const void *a, *b;
  void *c;
  int64_t a_row, a_column, b_row, b_column, c_row;
  tocha_scalar alpha, beta;
  const atomic_int *stop; /* the context's interrupt flag: c is then left unfinished */
} tocha_gemm;

enum { TOCHA_GEMM_SCRATCH = 256 * 512 * 8 + 64 }; /* bytes: one packed block of b */

typedef struct tocha_gemm_loops {
  void (*float32)(const tocha_gemm *g, void *pack);
  void (*float64)(const tocha_gemm *g, void *pack);
  void (*int64)(const tocha_gemm *g, void *pack);
} tocha_gemm_loops;

/* Scratch bytes that g needs, at most TOCHA_GEMM_SCRATCH. */
size_t tocha_gemm_scratch(const tocha_gemm *g);
const tocha_gemm_loops *tocha_gemm_loops_of(tocha_context *cx);

#endif
