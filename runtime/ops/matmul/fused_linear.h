/* fused_linear.h: a linear layer and its activation in one launch, where a device has that (fused_linear.c). */
#ifndef TOCHA_FUSED_LINEAR_H
#define TOCHA_FUSED_LINEAR_H

#include "device/devices.h"
#include "ops/matmul/kernels.h"

/* activation(input @ weight.T + bias); bias may be NULL. false, without an error, where the device has no such
 * kernel, the operands are not what it takes, or gradients would be recorded; else *out, NULL on failure. */
bool tocha_linear_activated(tocha_context *cx, tocha_tensor *input, tocha_tensor *weight,
                            tocha_tensor *bias, tocha_activation activation, tocha_tensor **out);

#endif
