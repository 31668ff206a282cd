/* narrow.h: small products of float32 whose terms are added one after the other with FMA (narrow.c). OpenBLAS adds them in
 * another order. */
#ifndef TOCHA_NARROW_H
#define TOCHA_NARROW_H

#include "tensor/loops.h"

/* out (m, n), row stride out_row, = a (m, k) @ b (k, n), plus out if `add`. Strides in elements, of any value. */
typedef struct tocha_narrow_product {
  const float *a, *b;
  float *out;
  int64_t m, n, k;
  int64_t a_row, a_column, b_row, b_column, out_row;
  bool add;
} tocha_narrow_product;

typedef struct tocha_narrow_loops {
  /* NULL if the instruction set has no such loops */
  void (*multiply)(const tocha_narrow_product *product);
} tocha_narrow_loops;

extern const tocha_narrow_loops *const tocha_narrow_loops_table[TOCHA_ISA_COUNT];

#endif
