/* strided.h: what a convolution with strides brings its input (strided.c), which is a transposed convolution, too. */
#ifndef TOCHA_STRIDED_CONVOLUTION_H
#define TOCHA_STRIDED_CONVOLUTION_H

#include "core/internal.h"
#include "ops/convolution/kernels.h"
#include "tensor/loops.h"
#include "tensor/pieces.h"

/* Some images of a convolution, and memory for them: the packed weights, which all share, and an image's room. */
typedef struct tocha_strided_images {
  const tocha_convolution_args *args;
  const float *weights;
  float *room;
  int64_t first, end; /* images */
  tocha_stop stop;
} tocha_strided_images;

/* NULL: not with these instructions. */
typedef struct tocha_strided_loops {
  int64_t (*weight_room)(const tocha_convolution_args *args); /* floats */
  int64_t (*image_room)(const tocha_convolution_args *args);
  void (*pack_weights)(const tocha_convolution_args *args, float *weights);
  void (*images)(const tocha_strided_images *some); /* unfinished once *stop is set */
} tocha_strided_loops;

extern const tocha_strided_loops *const tocha_strided_loops_table[TOCHA_ISA_COUNT];

/* Returns true for the tasks that these loops compute, of a convolution that PyTorch leaves to oneDNN. */
bool tocha_strided_takes_convolution(const tocha_context *cx, const tocha_convolution_args *args);
bool tocha_strided_convolve(tocha_stream *stream, const tocha_convolution_args *args);

#endif
