/* gemm.h: matrix products by the devices' kernels (gemm.c), and the precision that they may have (precision.c). */
#ifndef TOCHA_GEMM_H
#define TOCHA_GEMM_H

#include "device/devices.h"
#include "ops/matmul/kernels.h"

/* Returns beta * self + alpha * a @ b as a new tensor of a's dtype. a and b have 2 or 3 dimensions, one dtype and sizes that
 * fit. self may be NULL. sum: the products of a batch are summed into one matrix. Fails with the message of expand() if self
 * does not broadcast to the result. */
tocha_tensor *tocha_gemm(tocha_context *cx, tocha_tensor *self, tocha_tensor *a, tocha_tensor *b,
                         tocha_scalar beta, tocha_scalar alpha, bool sum);

/* Returns the dtype in which values of `dtype` are multiplied: int64 for integers, and float32 for the 16-bit types, unless the
 * device multiplies these directly. */
tocha_dtype tocha_gemm_dtype(tocha_device device, tocha_dtype dtype);

/* A batch of matrices in memory, described as for kernels (tocha_gemm_args). */
typedef struct tocha_matrices {
  bool transposed;
  int64_t ld, batch_stride;
} tocha_matrices;

/* Describes t, of 2 or 3 dimensions, as a batch of matrices. Returns false if kernels cannot read its layout, such as matrices
 * whose strides are both above 1. */
bool tocha_matrices_of(const tocha_tensor *t, tocha_matrices *matrices);

/* Makes later products take their precision from the switches of cuDNN, or ends that. Convolutions and recurrent layers call it,
 * because PyTorch computes them by cuDNN. Has no effect if cuDNN is disabled, as in PyTorch. Returns the state before. */
bool tocha_set_products_of_cudnn(tocha_context *cx, bool on);

/* Sets the precision that the context allows for products of args's dtype. */
void tocha_set_gemm_precision(const tocha_context *cx, tocha_gemm_args *args);

#endif
