/* output.h: new tensors for results and copies, laid out in memory as PyTorch does. */
#ifndef TOCHA_OUTPUT_H
#define TOCHA_OUTPUT_H

#include "core/internal.h"

/* The strides of a copy of `like`: its own where it is dense, else those that keep its order of dimensions. */
void tocha_copy_strides(const tocha_tensor *like, int64_t *strides);
/* A new tensor with these strides. */
tocha_tensor *tocha_new_copy_of(tocha_context *cx, const tocha_tensor *like, tocha_dtype dtype,
                                tocha_device device);
/* The strides of an operator's result of a shape that its operands broadcast to. NULL among the operands
 * is a number that takes part as a tensor. */
void tocha_output_strides(int ndim, const int64_t *sizes, int count, tocha_tensor *const *tensors,
                          int64_t *strides);
/* A new tensor with these strides. */
tocha_tensor *tocha_new_output(tocha_context *cx, int ndim, const int64_t *sizes, tocha_dtype dtype,
                               tocha_device device, int count, tocha_tensor *const *tensors);

#endif
