/* kernels.h: the kernels of convolutions: what they are given, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_CONVOLUTION_KERNELS_H
#define TOCHA_CONVOLUTION_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Windows over three dimensions of space; where there are fewer, the first have size 1. Window o of a dimension
 * covers the places o * stride - padding + k * dilation, k in 0..kernel; what lies outside 0..in is zero. */
typedef struct tocha_windows {
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
} tocha_windows;

/* Images and what their windows cover. image: (images, channels, in); columns: (images, channels * kernel, out),
 * both row-major and of one floating dtype or int64. unfold writes columns; fold writes to each place of the images the
 * sum of what columns hold for it. */
typedef struct tocha_unfold_args {
  void *image, *columns;
  int64_t images, channels, dtype;
  tocha_windows windows;
} tocha_unfold_args;

typedef enum tocha_convolution_task {
  TOCHA_CONVOLVE,            /* out = input * weight + bias */
  TOCHA_CONVOLVE_BACK_INPUT, /* input = the gradient that out brings */
  TOCHA_CONVOLVE_BACK_WEIGHT /* weight = the gradient that out brings */
} tocha_convolution_task;

/* A whole convolution by a library of the device. input (images, in_channels, in), weight (out_channels, in_channels /
 * groups, kernel), out (images, out_channels, out), bias (out_channels) or NULL: all row-major, of one floating dtype. */
typedef struct tocha_convolution_args {
  tocha_convolution_task task;
  void *input, *weight, *bias, *out;
  int64_t images, in_channels, out_channels, groups;
  int space; /* dimensions of space: 1 to 3 */
  int8_t dtype;
  tocha_windows windows;
} tocha_convolution_args;

typedef struct tocha_convolution_kernels {
  bool (*unfold)(tocha_stream *stream, const tocha_unfold_args *args);
  bool (*fold)(tocha_stream *stream, const tocha_unfold_args *args);
  /* Whether a library does this one (of the addresses bias alone is read: whether there is any), and the call of it. */
  bool (*takes)(tocha_stream *stream, const tocha_convolution_args *args);
  bool (*convolve)(tocha_stream *stream, const tocha_convolution_args *args);
} tocha_convolution_kernels;

#ifdef __cplusplus
}
#endif
#endif
