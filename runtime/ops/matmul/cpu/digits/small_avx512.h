/* small_avx512.h: the sums of small.c for several rows at once, in registers whose quarters are the lanes of four in small.c
 * (small_avx512.c). */
#ifndef TOCHA_SMALL_AVX512_H
#define TOCHA_SMALL_AVX512_H

#include "tensor/loops.h"

enum { TOCHA_SMALL_AVX512_TERMS = 1024 }; /* maximum */

/* Four rows and their results. `lead` terms come before the first multiple of 16 bytes. */
typedef struct tocha_small_avx512_rows {
  const float *x[4];
  float *out[4];
  int64_t k, lead;
  bool add;
} tocha_small_avx512_rows;

/* out (m, n), dense, = a (m, k) @ b (k, n), plus out if `add`. Terms are added one after the other. The rows of b are ldb
 * elements apart. */
typedef struct tocha_small_avx512_product {
  const float *a, *b;
  float *out;
  int64_t m, n, k, a_row, a_column, ldb;
  bool add;
} tocha_small_avx512_product;

typedef struct tocha_small_avx512_loops {
  /* Packs four columns, ld elements apart, from term `lead` on, in fours. NULL if the instruction set has no such loops. */
  void (*pack)(const float *columns, int64_t ld, int64_t k, int64_t lead, float *panel);
  void (*dots)(const tocha_small_avx512_rows *rows, const float *columns, int64_t ld,
               const float *panel);
  /* Packs one or two columns, in eights. */
  void (*pack_pair)(const float *columns, int64_t ld, int64_t count, int64_t k, int64_t lead,
                    float *panel);
  void (*dots_by_pairs)(const tocha_small_avx512_rows *rows, const float *columns, int64_t ld,
                        int64_t count, const float *panel);
  /* Computes a product with few columns. */
  void (*by_rows)(const tocha_small_avx512_product *product);
  /* Computes a product with few rows. */
  void (*by_terms)(const tocha_small_avx512_product *product);
} tocha_small_avx512_loops;

extern const tocha_small_avx512_loops *const tocha_small_avx512_loops_table[TOCHA_ISA_COUNT];

/* Returns sum plus the products of the terms begin..end, added one after the other. */
static inline float tocha_terms_added(float sum, const float *x, const float *y, int64_t begin,
                                      int64_t end) {
  for (int64_t p = begin; p < end; p++) sum += x[p] * y[p];
  return sum;
}

#endif
