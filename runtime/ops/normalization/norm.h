/* norm.h: normalization of sets of elements: what layers, groups and batches have in common (norm.c). */
#ifndef TOCHA_NORM_H
#define TOCHA_NORM_H

#include "dispatch/call.h"
#include "ops/normalization/kernels.h"

/* What is normalized. Tensors may be NULL but input; `sizes` as in tocha_norm_args. */
typedef struct tocha_norm_call {
  tocha_tensor *input, *weight, *bias, *mean, *rstd, *running_mean, *running_var;
  int64_t runs, sets, length, groups, inner;
  double eps, momentum;
  bool one_pass; /* statistics of layers and groups, of floats; else of doubles */
  bool fixed;    /* by the running statistics, which training updates */
  bool layers;   /* not groups or batches */
  bool rounded; /* the result is by the statistics that are returned, which may have fewer digits */
} tocha_norm_call;

/* The type that statistics and weights of an input are computed in. */
tocha_dtype tocha_norm_compute_dtype(const tocha_tensor *input);
/* out; call->mean and call->rstd, where not fixed, of the sizes given. */
tocha_tensor *tocha_norm_forward(tocha_context *cx, tocha_norm_call *call, int ndim,
                                 const int64_t *sizes);
/* batch_norm's parameters and statistics against the channels of input. */
bool tocha_check_features(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *weight,
                          const tocha_tensor *bias, const tocha_tensor *running_mean,
                          const tocha_tensor *running_var, bool training);
/* separator: between the star and the sizes in the message, which differs between operators. */
bool tocha_check_normalized_shape(tocha_context *cx, const tocha_tensor *input, int count,
                                  const int64_t *shape, const tocha_tensor *weight,
                                  const tocha_tensor *bias, const char *separator);
/* The gradients of input, weight and bias into the edges of the frame. */
bool tocha_norm_gradients(tocha_backward_frame *f, const tocha_norm_call *call);

#endif
