/* steps.h: losses of float16 and bfloat16 tensors, rounded after every step (steps.c). */
#ifndef TOCHA_LOSS_STEPS_H
#define TOCHA_LOSS_STEPS_H

#include "dispatch/call.h"

/* Whether PyTorch rounds this derivative of a loss after every step: on the CPU, of two tensors of 16 bits; not smooth_l1. */
bool tocha_loss_by_steps(const tocha_tensor *self, const tocha_tensor *target,
                         const tocha_tensor *factor, int kind, int order);
/* The loss (order 0) or its slope times factor (order 1), over the number of elements for the mean. */
tocha_tensor *tocha_rounded_loss(tocha_context *cx, tocha_tensor *self, tocha_tensor *target,
                                 tocha_tensor *factor, int kind, int order, double p,
                                 int reduction);

#endif
