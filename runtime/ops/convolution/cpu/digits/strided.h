/* strided.h: the gradient of the input of a convolution with strides, which is also a transposed convolution (strided.c). */
#ifndef TOCHA_STRIDED_CONVOLUTION_H
#define TOCHA_STRIDED_CONVOLUTION_H

#include "core/internal.h"
#include "ops/convolution/kernels.h"
#include "tensor/loops.h"
#include "tensor/interruptible.h"

/* Some images of a convolution and their memory: the packed weights, which all threads share, and scratch memory for one image. */
typedef struct tocha_strided_images {
  const tocha_convolution_args *args;
  const float *weights;
  float *scratch;
  int64_t first, end; /* images */
  tocha_stop stop;
} tocha_strided_images;

/* All are NULL if the instruction set has no such loops. */
typedef struct tocha_strided_loops {
  /* Return the sizes of the packed weights, and of the scratch memory for one image. */
  int64_t (*weight_floats)(const tocha_convolution_args *args);
  int64_t (*image_floats)(const tocha_convolution_args *args);
  void (*pack_weights)(const tocha_convolution_args *args, float *weights);
  void (*images)(const tocha_strided_images *some); /* returns early once *stop is set */
} tocha_strided_loops;

extern const tocha_strided_loops *const tocha_strided_loops_table[TOCHA_ISA_COUNT];

/* Returns true if these loops compute the task, for a convolution that PyTorch leaves to oneDNN. */
bool tocha_strided_takes_convolution(const tocha_context *cx, const tocha_convolution_args *args);
bool tocha_strided_convolve(tocha_stream *stream, const tocha_convolution_args *args);

#endif
