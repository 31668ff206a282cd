/* fused_linear.h: a linear layer and its activation in one launch, on devices that have such a kernel (fused_linear.c). */
#ifndef TOCHA_FUSED_LINEAR_H
#define TOCHA_FUSED_LINEAR_H

#include "device/devices.h"
#include "ops/matmul/kernels.h"

/* Computes activation(input @ weight.T + bias); bias may be NULL. Returns false, without an error, if the device has no such
 * kernel, if the kernel does not support the operands, or if gradients would be recorded. Otherwise sets *out, to NULL on
 * failure. */
bool tocha_linear_activated(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                            tocha_tensor *bias, tocha_activation activation, tocha_tensor **out);

#endif
