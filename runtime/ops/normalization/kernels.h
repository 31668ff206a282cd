/* kernels.h: the kernels of softmax: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_NORMALIZATION_KERNELS_H
#define TOCHA_NORMALIZATION_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Along n of (outer, n, inner), all tensors row-major and of one floating dtype. Backward where
 * result is given: `in` is the gradient then. */
typedef struct tocha_softmax_args {
  const void *in, *result;
  void *out;
  int64_t outer, n, inner;
  int8_t dtype;
  bool log;
} tocha_softmax_args;

typedef struct tocha_normalization_kernels {
  bool (*softmax)(tocha_stream *stream, const tocha_softmax_args *args);
} tocha_normalization_kernels;

#ifdef __cplusplus
}
#endif
#endif
