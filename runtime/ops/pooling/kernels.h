/* kernels.h: the arguments of pooling kernels, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_POOLING_KERNELS_H
#define TOCHA_POOLING_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Windows over three dimensions of space; missing ones come first and have size 1. Window o of a
 * dimension covers the places o * stride - padding + k * dilation, k in 0..kernel, that are inside
 * 0..in. An adaptive window covers the places from o * in / out (rounded down) to (o + 1) * in /
 * out (rounded up). With `starts`, (planes, out[0] + out[1] + out[2]), windows begin there and
 * cover `kernel` adjacent places. */
typedef struct tocha_pool_windows {
  int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
  const int64_t *starts; /* may be NULL; only for max */
  bool adaptive;
} tocha_pool_windows;

/* Planes of images (planes, in) and of pooled values (planes, out). Both are row-major and of one
 * dtype: floating, or on the CPU also int64. */
typedef struct tocha_pool_args {
  void *image, *pooled;
  int64_t *indices; /* max: positions in the plane; the CPU accepts NULL */
  int64_t planes, dtype;
  tocha_pool_windows windows;
  int64_t divisor;        /* of averages; 0 means the number of places */
  bool count_include_pad; /* the number of places includes the padding */
  int8_t kept; /* CPU: dtype of sums of the gradient, and of volumes' adaptive averages */
} tocha_pool_args;

typedef struct tocha_pooling_kernels {
  bool (*max)(tocha_stream *stream, const tocha_pool_args *args);
  bool (*average)(tocha_stream *stream, const tocha_pool_args *args);
  /* Writes to image the gradient of each place, from the gradients in pooled. */
  bool (*average_backward)(tocha_stream *stream, const tocha_pool_args *args);
} tocha_pooling_kernels;

#ifdef __cplusplus
}
#endif
#endif
