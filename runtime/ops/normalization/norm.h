/* norm.h: normalization of sets of elements, shared by layers, groups and batches (norm.c). */
#ifndef TOCHA_NORM_H
#define TOCHA_NORM_H

#include "dispatch/call.h"
#include "ops/normalization/kernels.h"

/* One normalization. All tensors but input may be NULL. The sizes are those of tocha_norm_args. */
typedef struct tocha_norm_call {
  tocha_tensor *input, *weight, *bias, *mean, *rstd, *running_mean, *running_var;
  int64_t runs, sets, length, groups, inner;
  double eps, momentum;
  bool one_pass;   /* statistics of layers and groups, in floats; else in doubles */
  bool fixed;      /* normalizes by the running statistics; else they are updated */
  bool layers;     /* layers, not groups or batches */
  bool last;       /* batches whose channels are innermost in memory (norm.c) */
  bool rounded;    /* the result uses the returned statistics, which may have fewer digits */
  bool about_zero; /* zero takes the place of the mean: rms_norm, which has no bias */
} tocha_norm_call;

/* Returns the dtype in which statistics and weights of an input are computed. */
tocha_dtype tocha_norm_compute_dtype(const tocha_tensor *input);
/* Returns false for norms about zero that are left to operators: on the CPU, and of rows that a GPU's kernels do not take. */
bool tocha_norm_has_kernels(const tocha_norm_call *call);
/* Returns out. Unless fixed, also sets call->mean and call->rstd, with the given sizes. */
tocha_tensor *tocha_norm_forward(tocha_context *cx, tocha_norm_call *call, int ndim,
                                 const int64_t *sizes);
/* Fails unless batch_norm's parameters and statistics have as many elements as input has channels. */
bool tocha_check_features(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *weight,
                          const tocha_tensor *bias, const tocha_tensor *running_mean,
                          const tocha_tensor *running_var, bool training);
/* Fails unless the last dimensions of input, the weight and the bias have the sizes `shape`. separator: the text between the
 * star and the sizes in the message, which differs between operators. */
bool tocha_check_normalized_shape(tocha_context *cx, const tocha_tensor *input, int count,
                                  const int64_t *shape, const tocha_tensor *weight,
                                  const tocha_tensor *bias, const char *separator);
/* Returns input * rstd * weight over the last `count` dimensions, and rstd, 1 / sqrt(mean(input ^ 2) + eps). */
tocha_tensor *tocha_rms_norm_by_operators(tocha_context *cx, tocha_tensor *input, int count,
                                          tocha_tensor *weight, double eps, tocha_tensor **rstd);
/* Computes the gradients of input, weight and bias into the edges of the frame. */
bool tocha_norm_gradients(tocha_backward_frame *f, const tocha_norm_call *call);

#endif
