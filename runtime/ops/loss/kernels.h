/* kernels.h: the kernels of losses: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_LOSS_KERNELS_H
#define TOCHA_LOSS_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operands: out, input, target and a factor where there are four. */
typedef struct tocha_loss_args {
  tocha_strided_layout layout;
  double number, norm; /* beta or delta; a factor */
  int32_t kind, order; /* TOCHA_LOSS_*; which derivative */
  bool wide;           /* computes in float64 */
} tocha_loss_args;

/* Negative log likelihood of x (n, classes, inner). Forward: reduction none gives a loss for each
 * target, the others one number. Backward: out (zeros, shaped as x) gets its elements at the
 * targets from grad. x, out and grad are of dtype. */
typedef struct tocha_nll_args {
  const void *x, *target, *weight, *grad; /* weight may be NULL */
  void *out;
  void *work; /* 16 bytes for each part, and 16 */
  int64_t n, classes, inner, ignored, parts;
  int32_t reduction;
  int8_t dtype, target_dtype, weight_dtype;
  bool backward;
} tocha_nll_args;

typedef struct tocha_loss_kernels {
  bool (*loss)(tocha_stream *stream, const tocha_loss_args *args); /* element by element */
  bool (*nll_loss)(
      tocha_stream *stream,
      const tocha_nll_args *args); /* random numbers: random.cu, random_choice.cu, dropout.cu */
} tocha_loss_kernels;

#ifdef __cplusplus
}
#endif
#endif
