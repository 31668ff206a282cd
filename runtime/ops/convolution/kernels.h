/* kernels.h: the arguments of the kernels of convolutions, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_CONVOLUTION_KERNELS_H
#define TOCHA_CONVOLUTION_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Windows over three dimensions of space. With fewer, the first dimensions have size 1. Window o of a dimension covers the
 * positions o * stride - padding + k * dilation, for k in 0..kernel. Positions outside 0..in count as zero. */
typedef struct tocha_windows {
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
} tocha_windows;

/* Arguments of unfold and fold. image: (images, channels, in); columns: (images, channels * kernel, out), both row-major and of
 * one floating dtype or int64. unfold writes columns. fold writes to each position of the images the sum of its values in
 * columns; if `end` is not 0, only to the positions begin..end along `dim`. A padding below 0 makes the first window start
 * inside the image. */
typedef struct tocha_unfold_args {
  void *image, *columns;
  int64_t images, channels, dtype;
  tocha_windows windows;
  int64_t dim, begin, end;
} tocha_unfold_args;

/* Writes the range of positions that fold writes: from first to end in each dimension. */
static inline void tocha_folded_places(const tocha_unfold_args *args, int64_t first[3],
                                       int64_t end[3]) {
  for (int d = 0; d < 3; d++) {
    bool part = args->end && args->dim == d;
    first[d] = part ? args->begin : 0;
    end[d] = part ? args->end : args->windows.in[d];
  }
}

/* On a GPU the addresses of a whole convolution's operands are multiples of this. */
enum { TOCHA_CONVOLUTION_ALIGNMENT = 16 };

typedef enum tocha_convolution_task {
  TOCHA_CONVOLVE,             /* out = input * weight + bias */
  TOCHA_CONVOLVE_BACK_INPUT,  /* input = the gradient of the input, from that of out */
  TOCHA_CONVOLVE_BACK_WEIGHT, /* weight = the gradient of the weight, from that of out */
  TOCHA_CONVOLVE_BACK_BIAS    /* bias = the sum of each channel of out; of input, if transposed */
} tocha_convolution_task;

/* Arguments of a whole convolution, for a library of the device. input (images, in_channels, in), weight (out_channels,
 * in_channels / groups, kernel), out (images, out_channels, out), bias (out_channels) or NULL: all of one floating dtype, and
 * all row-major, or all with their channels innermost. A transposed convolution is the gradient of one that is not: it computes input from out, and its bias is
 * (in_channels). */
typedef struct tocha_convolution_args {
  tocha_convolution_task task;
  void *input, *weight, *bias, *out;
  int64_t images, in_channels, out_channels, groups;
  int space; /* dimensions of space: 1 to 3 */
  int8_t dtype;
  bool transposed;       /* the call is a transposed convolution, or one of its gradients */
  bool channels_last;    /* the channels are innermost; only on a GPU */
  tocha_windows windows; /* the padding is unknown for TOCHA_CONVOLVE_BACK_BIAS */
  /* Only for a GPU, by the switches of cuDNN: cuDNN may be called (cudnn), in TensorFloat-32 (tf32), only if its sums have one
   * order (deterministic). trials: plans to measure at the first call of a shape; 1: none. */
  bool cudnn, tf32, deterministic;
  int64_t trials;
} tocha_convolution_args;

typedef struct tocha_convolution_kernels {
  bool (*unfold)(tocha_stream *stream, const tocha_unfold_args *args);
  bool (*fold)(tocha_stream *stream, const tocha_unfold_args *args);
  /* Returns true if `convolve` computes this task. If not, columns and products of matrices compute it, and the operator sum
   * the gradient of a bias. Reads no address but bias, and only compares that with NULL. A NULL `takes` means that the device
   * computes no task. If `convolve` fails and `takes` then returns false, a library gave up, and the task may be computed
   * otherwise. */
  bool (*takes)(tocha_stream *stream, const tocha_convolution_args *args);
  bool (*convolve)(tocha_stream *stream, const tocha_convolution_args *args);
} tocha_convolution_kernels;

#ifdef __cplusplus
}
#endif
#endif
