/* kernels.h: the kernels of pooling: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_POOLING_KERNELS_H
#define TOCHA_POOLING_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Windows over three dimensions of space; where there are fewer, the first have size 1. Window o of a dimension covers
 * the places o * stride - padding + k * dilation, k in 0..kernel, as far as they lie in 0..in; an adaptive one the
 * places from o * in / out (rounded down) to (o + 1) * in / out (rounded up). With starts, windows begin where these say
 * (planes, out[0] + out[1] + out[2]), and cover kernel places side by side. */
typedef struct tocha_pool_windows {
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  const int64_t *starts; /* or NULL; only for max */
  bool adaptive;
} tocha_pool_windows;

/* Planes of images (planes, in) and of what their windows hold (planes, out), both row-major and of one dtype: floating, on
 * the CPU also int64. */
typedef struct tocha_pool_args {
  void *image, *pooled;
  int64_t *
      indices; /* max: where in its plane each value of pooled is; on the CPU also NULL: not wanted */
  int64_t planes, dtype;
  tocha_pool_windows windows;
  int64_t divisor;        /* of averages; 0: the number of places, */
  bool count_include_pad; /* those of the padding among them */
  int8_t
      kept; /* on the CPU: the dtype that sums of the gradient, and of volumes' adaptive averages, are kept in, FLOAT16 and BFLOAT16
                * among them */
} tocha_pool_args;

typedef struct tocha_pooling_kernels {
  bool (*max)(tocha_stream *stream, const tocha_pool_args *args);
  bool (*average)(tocha_stream *stream, const tocha_pool_args *args);
  /* Writes to image the gradient that pooled brings to each place. */
  bool (*average_backward)(tocha_stream *stream, const tocha_pool_args *args);
} tocha_pooling_kernels;

#ifdef __cplusplus
}
#endif
#endif
