/* gemm_device.h: matrix products on a device (cuda/blas.cpp does the multiplying). */
#ifndef TOCHA_GEMM_DEVICE_H
#define TOCHA_GEMM_DEVICE_H

#include "device/devices.h"
#include "ops/matmul/kernels.h"

/* beta * self + alpha * a @ b as a new tensor; a and b have 2 or 3 dimensions and one floating
 * dtype; self may be NULL and broadcasts to the result (checked). sum: the products of a batch are
 * summed into one matrix. NULL on failure. */
tocha_tensor *tocha_device_multiply(tocha_context *cx, tocha_tensor *self, tocha_tensor *a,
                                    tocha_tensor *b, double beta, double alpha, bool sum);

/* The inner product of two vectors of one floating dtype and length. NULL on failure. */
tocha_tensor *tocha_device_dot(tocha_context *cx, tocha_tensor *a, tocha_tensor *b);

/* activation(input @ weight.T + bias) in one launch; bias may be NULL. false, without an error,
 * where the operands are none that a device multiplies as one product, or where gradients would be
 * recorded; else *out, NULL on failure. */
bool tocha_linear_activated(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                            tocha_tensor *bias, tocha_activation activation, tocha_tensor **out);

#endif
