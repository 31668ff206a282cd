/* gemm_half.h: matrix products that read float16 and bfloat16 where they lie, for processors that
 * multiply these types faster than float32. */
#ifndef TOCHA_GEMM_HALF_H
#define TOCHA_GEMM_HALF_H

#include "core/internal.h"

/* out (B, M, N), row-major = a (B, M, K) @ b (B, K, N) + bias (N). Everything of the type dtype,
 * TOCHA_BFLOAT16 or TOCHA_FLOAT16, summed in float32 and rounded once. bias may be NULL. Strides in
 * elements; a batch stride of 0 repeats a matrix; of row and column stride one is 1 and the other
 * spans at least a row or column of the matrix. */
typedef struct tocha_half_product {
  tocha_dtype dtype;
  int64_t batch, m, n, k;
  int64_t a_batch, a_row, a_column, b_batch, b_row, b_column;
  const char *a, *b, *bias;
  char *out;
} tocha_half_product;

/* alpha * a @ b + beta * self into *out where that is one half-precision product worth doing as one
 * (self NULL, or a bias added to each row as it is); a and b have 2 or 3 dimensions. false where it
 * is not: the caller multiplies in float32. *out is NULL after a failure. */
bool tocha_half_multiply(tocha_context *cx, tocha_tensor *self, tocha_tensor *a, tocha_tensor *b,
                         tocha_scalar beta, tocha_scalar alpha, tocha_tensor **out);

/* A product of bfloat16 by AVX512-BF16 without a library (gemm_bfloat16.c). false, without an
 * error, where the processor lacks it or one row or column is most of the work; *ok is false after
 * an error. */
bool tocha_bfloat16_product(tocha_context *cx, const tocha_half_product *p, bool *ok);
/* Whether this processor has what it takes. */
bool tocha_bfloat16_kernel(void);

#endif
