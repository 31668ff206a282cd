/* output.h: creates tensors for results and copies, laid out in memory as in PyTorch. */
#ifndef TOCHA_OUTPUT_H
#define TOCHA_OUTPUT_H

#include "core/internal.h"

/* Computes the strides of a copy of `like`: its own if it is dense, else strides that keep its
 * order of dimensions. */
void tocha_copy_strides(const tocha_tensor *like, int64_t *strides);
/* Returns a new tensor with the strides of tocha_copy_strides. */
tocha_tensor *tocha_new_copy_of(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype,
                                tocha_device device);
/* Computes the strides of an operator's result, whose shape the operands broadcast to. An
 * operand that is NULL stands for a number that takes part as a tensor. */
void tocha_output_strides(int ndim, const int64_t *sizes, int count, tocha_tensor *const *tensors,
                          int64_t *strides);
/* Returns a new tensor with the strides of tocha_output_strides. */
tocha_tensor *tocha_new_output(tocha_context *cx, int ndim, const int64_t *sizes, tocha_dtype dtype,
                               tocha_device device, int count, tocha_tensor *const *tensors);

#endif
