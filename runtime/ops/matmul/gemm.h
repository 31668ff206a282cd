/* gemm.h: batches of matrix products over a BLAS, or over our own loops. */
#ifndef TOCHA_GEMM_H
#define TOCHA_GEMM_H

#include "core/internal.h"

/* out (B, M, N), row-major = alpha * a (B, M, K) @ b (B, K, N) + beta * out, where B is `batch` and
 * a batch stride of 0 repeats a matrix. All in one type: float32, float64 or int64; strides in
 * elements, of any value (what the BLAS cannot read is copied first). false on failure. */
typedef struct tocha_product {
  tocha_dtype dtype;
  int64_t batch, m, n, k;
  const char *a, *b;
  char *out;
  int64_t a_batch, a_row, a_column, b_batch, b_row, b_column;
  tocha_scalar alpha, beta;
} tocha_product;

bool tocha_product_run(tocha_context *cx, const tocha_product *product);
/* Inner product of two vectors into out (one element); strides in elements. */
bool tocha_dot_run(tocha_context *cx, tocha_dtype dtype, int64_t n, const char *a, int64_t a_stride,
                   const char *b, int64_t b_stride, char *out);

/* Calls run(user) with OpenMP's number of threads set to the context's, for a library that asks
 * OpenMP; the host's setting stays as it is. false: not called, inside a parallel region. */
bool tocha_with_threads(tocha_context *cx, void (*run)(void *user), void *user);

#endif
