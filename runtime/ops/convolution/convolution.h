/* convolution.h: the parameters of a convolution (parameters.c), and the three computations that convolutions consist of
 * (run.c). */
#ifndef TOCHA_CONVOLUTION_H
#define TOCHA_CONVOLUTION_H

#include "core/internal.h"
#include "ops/convolution/kernels.h"

/* A list argument of an operator. */
typedef struct tocha_ints {
  int count;
  const int64_t *values;
} tocha_ints;

/* The parameters of one convolution, for each of three dimensions of space. With fewer, the first ones hold the parameters of a
 * dimension of size 1. */
typedef struct tocha_convolution_call {
  int space; /* dimensions of space that the tensors have */
  bool transposed;
  int64_t groups;
  int64_t stride[3], padding[3], dilation[3], output_padding[3];
} tocha_convolution_call;

/* Reads the lists for `space` dimensions of space (a list of one number counts for all of them). Fails if a number is not a valid
 * value of its parameter. */
bool tocha_read_convolution(tocha_context *cx, tocha_convolution_call *c, int space,
                            tocha_ints stride, tocha_ints padding, tocha_ints dilation,
                            bool transposed, tocha_ints output_padding, int64_t groups);
/* Checks shapes and dtypes, and writes the sizes of the result. */
bool tocha_check_convolution(tocha_context *cx, const tocha_convolution_call *c,
                             const tocha_tensor *input, const tocha_tensor *weight,
                             const tocha_tensor *bias, int64_t *sizes);

/* Runs one of the three tasks of a convolution that is not transposed (a transposed one is TOCHA_CONVOLVE_BACK_INPUT). `first`
 * and `second` are the two of image, weight and out that the task reads, in this order. Returns the third as a new tensor with
 * `sizes`. */
tocha_tensor *tocha_convolve(tocha_context *cx, const tocha_convolution_call *c,
                             tocha_convolution_task task, tocha_tensor *first, tocha_tensor *second,
                             tocha_tensor *bias, const int64_t *sizes);

/* Returns the gradient of the bias, (C), of a convolution that may be transposed, whose result has the gradient `grad`, row-major.
 * Reads only the sizes of the input and of the weight. */
tocha_tensor *tocha_convolve_back_bias(tocha_context *cx, const tocha_convolution_call *c,
                                       tocha_tensor *grad, const tocha_tensor *input,
                                       const tocha_tensor *weight);

#endif
