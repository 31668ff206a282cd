/* kernels.h: the arguments of the kernels of matrix products, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_MATMUL_KERNELS_H
#define TOCHA_MATMUL_KERNELS_H

#include "device/strided.h"
#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tocha_activation { TOCHA_NO_ACTIVATION, TOCHA_RELU, TOCHA_GELU_TANH } tocha_activation;

/* out (batch, m, n), row-major = activation(alpha * a @ b + beta * out + bias), with a (batch, m, k) and b (batch, k, n), all
 * of one dtype: float32, float64, int64 on the CPU only, and, if the device supports them, float16 and bfloat16, which are
 * summed in float32. A matrix is row-major, or transposed (its columns are contiguous), and each row (column) begins ld
 * elements after the one before. batch, m, n and k are at least 1. With beta 0, out is not read. bias: n elements that are
 * added to every row, or NULL; with a bias, beta is 0. */
typedef struct tocha_gemm_args {
  const void *a, *b, *bias;
  void *out;
  int64_t batch, m, n, k;
  int64_t a_batch_stride, b_batch_stride; /* from one matrix to the next; 0: one matrix for all */
  int64_t out_batch_stride;               /* on a GPU, without bias and activation; 0: m * n */
  int64_t lda, ldb;
  tocha_scalar alpha, beta;
  bool a_transposed, b_transposed;
  int8_t dtype;
  int8_t activation;
  bool tf32;    /* float32 may be multiplied in TensorFloat-32 */
  bool reduced; /* 16-bit types may be reduced in their own type */
  /* out is float32, the product of 16-bit types without bias and activation. Needs a device that multiplies 16-bit types. */
  bool wide;
} tocha_gemm_args;

/* out (m, n), row-major = scale_a * scale_b * a @ b + bias, with a (m, k), row-major, and b (k, n), whose columns are
 * contiguous: k codes of float8_e4m3fn or float8_e5m2 each, at 16-byte boundaries. out_dtype: float32, float16 or bfloat16.
 * bias: n elements of out's dtype, 16 bits each, or NULL. scale_a, scale_b: one float on the device, or NULL for 1.
 * fast: sums may have fewer digits. */
typedef struct tocha_scaled_gemm_args {
  const void *a, *b, *bias;
  const float *scale_a, *scale_b;
  void *out;
  int64_t m, n, k;
  int8_t a_dtype, b_dtype, out_dtype;
  bool fast;
} tocha_scaled_gemm_args;

/* out (m, n), of int32 = a (m, k) @ b (k, n), of int8, all row-major. k and n are multiples of 8. */
typedef struct tocha_int_gemm_args {
  const void *a, *b;
  void *out;
  int64_t m, n, k;
} tocha_int_gemm_args;

/* *out = the inner product of two vectors of one dtype, one of gemm's dtypes. Strides are in elements. */
typedef struct tocha_dot_args {
  const void *a, *b;
  void *out;
  double *scratch; /* dot_scratch elements */
  int64_t n, a_stride, b_stride;
  int8_t dtype;
} tocha_dot_args;

typedef struct tocha_matmul_kernels {
  bool (*gemm)(tocha_stream *stream, const tocha_gemm_args *args);
  /* Returns true if gemm multiplies this product of a 16-bit type in its own type (args without addresses). If not, the product
   * is converted to float32. NULL: gemm always multiplies the type directly. */
  bool (*takes_half)(tocha_stream *stream, const tocha_gemm_args *args);
  bool (*dot)(tocha_stream *stream, const tocha_dot_args *args);
  int64_t dot_scratch;
  bool activates; /* gemm applies activations */
  bool (*scaled_gemm)(tocha_stream *stream,
                      const tocha_scaled_gemm_args *args);                 /* NULL on the CPU */
  bool (*int_gemm)(tocha_stream *stream, const tocha_int_gemm_args *args); /* NULL on the CPU */
} tocha_matmul_kernels;

#ifdef __cplusplus
}
#endif
#endif
