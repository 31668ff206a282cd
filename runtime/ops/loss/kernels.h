/* kernels.h: the arguments of the kernels of losses, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_LOSS_KERNELS_H
#define TOCHA_LOSS_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = tocha_loss(kind, order, p, input, target) * norm (* factor, if there is one), computed in float32 or float64. */
typedef struct tocha_loss_args {
  const tocha_strided_layout *layout; /* out, input, target and perhaps factor, of any dtypes */
  double p, norm;
  int32_t kind, order; /* TOCHA_LOSS_*; order of the derivative */
  int32_t compute;
} tocha_loss_args;

/* Negative log likelihood of x (n, classes, inner). Forward: reduction none gives a loss for each target (n, inner), the others
 * one number. Backward, if grad is given: writes the elements of out (zeros, shaped like x) at the targets. x, weight, grad and
 * out are of dtype; target is uint8 or int64. */
typedef struct tocha_nll_args {
  const void *x, *target, *weight, *grad; /* weight: NULL for ones */
  void *out;
  void *scratch; /* nll_scratch bytes */
  int64_t n, classes, inner, ignored;
  int32_t reduction;
  int8_t dtype, target_dtype;
  int8_t given; /* the 16-bit dtype of the operator's tensors; 0: they have dtype */
  int8_t rest;
} tocha_nll_args;

typedef struct tocha_loss_kernels {
  bool (*loss)(tocha_stream *stream, const tocha_loss_args *args); /* element by element */
  uint64_t (*nll_scratch)(tocha_stream *stream, const tocha_nll_args *args);
  bool (*nll_loss)(tocha_stream *stream, const tocha_nll_args *args);
} tocha_loss_kernels;

#ifdef __cplusplus
}
#endif
#endif
