/* half.h: matrix products of float16 and bfloat16 without conversion (half.c), on processors that multiply these types faster
 * than float32. */
#ifndef TOCHA_GEMM_HALF_H
#define TOCHA_GEMM_HALF_H

#include "core/internal.h"
#include "ops/matmul/kernels.h"

/* Returns true if the product should be computed without conversion: it is large enough, and oneDNN or our tiles can compute
 * it. */
bool tocha_takes_half(tocha_stream *stream, const tocha_gemm_args *args);
/* Computes a product that tocha_takes_half accepts: summed in float32 and rounded once. */
bool tocha_half_gemm(tocha_context *cx, const tocha_gemm_args *args);

/* The strides of a matrix, in elements. */
typedef struct tocha_matrix_strides {
  int64_t row, column;
} tocha_matrix_strides;

static inline tocha_matrix_strides tocha_strides_of(bool transposed, int64_t ld) {
  return transposed ? (tocha_matrix_strides){1, ld} : (tocha_matrix_strides){ld, 1};
}

#endif
