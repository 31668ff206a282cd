/* kernels.h: the kernels of matrix products: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_MATMUL_KERNELS_H
#define TOCHA_MATMUL_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tocha_activation { TOCHA_NO_ACTIVATION, TOCHA_RELU, TOCHA_GELU_TANH } tocha_activation;

/* out (batch, m, n), row-major = activation(alpha * a @ b + beta * out + bias), a (batch, m, k),
 * b (batch, k, n), all of one floating dtype; the 16-bit types are summed in float32. Each row of a
 * matrix (each column of one that is transposed) is contiguous and begins `leading` elements after the
 * one before. batch and n, m, k are at least 1. bias: n elements or NULL; only with batch 1. */
typedef struct tocha_product_args {
  const void *a, *b, *bias;
  void *out;
  int64_t batch, m, n, k;
  int64_t a_batch, b_batch; /* elements from one matrix to the next; 0: the same for all */
  int64_t lda, ldb;
  double alpha, beta;
  bool a_transposed, b_transposed;
  int8_t dtype;
  int8_t activation;
  bool tf32;    /* float32 may be multiplied in TensorFloat-32 */
  bool reduced; /* 16-bit types may be reduced in their own type */
} tocha_product_args;

enum { TOCHA_DOT_PARTS = 256 };

/* *out = the inner product of two vectors of one floating dtype; strides in elements. partial:
 * TOCHA_DOT_PARTS doubles. */
typedef struct tocha_dot_args {
  const void *a, *b;
  void *out;
  double *partial;
  int64_t n, a_stride, b_stride;
  int8_t dtype;
} tocha_dot_args;

typedef struct tocha_matmul_kernels {
  bool (*product)(tocha_stream *stream, const tocha_product_args *args);
  bool (*dot)(tocha_stream *stream, const tocha_dot_args *args);
} tocha_matmul_kernels;

#ifdef __cplusplus
}
#endif
#endif
