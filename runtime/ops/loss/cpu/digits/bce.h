/* bce.h: binary cross entropy of 16-bit types, rounded after every step (bce.c). */
#ifndef TOCHA_BCE_STEPS_H
#define TOCHA_BCE_STEPS_H

#include "core/internal.h"
#include "ops/loss/kernels.h"

/* Returns true if tocha_bce_by_steps computes the loss: forward, of elements of 16 bits, with PyTorch's digits. */
bool tocha_bce_rounds_steps(const tocha_context *cx, const tocha_loss_args *args);

/* Computes n elements of the loss of x and t (targets), converted to float32, times factor (NULL: 1). inner: the strides of
 * out, x, t and factor; 0 for an operand of one element. */
void tocha_bce_by_steps(const tocha_loss_args *args, float *out, const float *x, const float *t,
                        const float *factor, const int64_t *inner, int64_t n);

#endif
