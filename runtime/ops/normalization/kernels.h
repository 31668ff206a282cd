/* kernels.h: the kernels of softmax and of normalization: what they are given, and the table that a device fills (device/kernels.h). */
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
  bool last;    /* they are the last dimension of the operator's tensor */
  int8_t given; /* the 16-bit dtype of the operator's tensors; 0: dtype is theirs */
} tocha_softmax_args;

/* Row-major (runs, sets, length): each set, all elements of one index in the middle, has a mean and 1 / its
 * deviation. Element i of a set has the weight of channel (set % groups) * (length / inner) + i / inner.
 *   layers: runs = groups = inner = 1; groups: runs = 1; batches: length = inner, sets = groups = channels.
 * in, grad and out are of dtype, all others of the type that it is computed in. NULL: not there, or not asked for. */
typedef struct tocha_norm_args {
  const void *in, *grad, *weight, *bias;
  void *out, *mean, *rstd, *grad_weight, *grad_bias;
  void *running_mean,
      *running_var; /* of each set; fixed: these are the statistics, else they are updated */
  int64_t runs, sets, length, groups, inner;
  double eps, momentum;
  int8_t dtype;
  bool fixed, known; /* known: mean and rstd are given to `norm`, too (on the CPU) */
  int8_t
      kept; /* on the CPU: the dtype that the sums of layers' grad_weight and grad_bias are kept in */
  void *
      partial; /* on a GPU: memory for tocha_norm_partial numbers of the type that is computed in */
  bool one_pass; /* mean and rstd as of layers and groups, of floats (on the CPU); one run */
} tocha_norm_args;

/* How many parts are summed by themselves, where `blocks` of a GPU's kernel have one each. */
static inline int64_t tocha_norm_parts(int64_t blocks) {
  int64_t parts = 2048 / blocks;
  return parts < 1 ? 1 : parts < 128 ? parts : 128;
}

/* The same for rows of a length, whose weights are summed over rows. */
static inline int64_t tocha_norm_row_parts(int64_t length) {
  int64_t parts = (1 << 21) / length;
  return parts < 64 ? 64 : parts < 1024 ? parts : 1024;
}

static inline int64_t tocha_norm_greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* The numbers that a GPU's kernels keep of parts: three of each set, two of each channel. */
static inline int64_t tocha_norm_partial(const tocha_norm_args *a, bool backward) {
  int64_t channels = a->groups * (a->length / a->inner);
  int64_t sets = 3 * a->sets * tocha_norm_parts(a->length == 1 ? (a->sets + 31) / 32 : a->sets);
  if (!backward) return sets;
  int64_t weights =
      2 * channels * tocha_norm_parts(a->inner == 1 ? (channels + 31) / 32 : channels);
  int64_t rows = 2 * a->length * tocha_norm_row_parts(a->length);
  bool layers = a->runs == 1 && a->inner == 1;
  return tocha_norm_greater(sets, layers ? tocha_norm_greater(weights, rows) : weights);
}

/* Batches: one channel to a set. */
static inline bool tocha_norm_of_batches(const tocha_norm_args *a) {
  return a->length == a->inner && a->groups == a->sets && !a->one_pass;
}

typedef struct tocha_normalization_kernels {
  bool (*softmax)(tocha_stream *stream, const tocha_softmax_args *args);
  /* out, mean, rstd of in, weight, bias. */
  bool (*norm)(tocha_stream *stream, const tocha_norm_args *args);
  /* out, the gradient of in, of grad, in, weight, mean, rstd; and grad_weight and grad_bias. */
  bool (*norm_backward)(tocha_stream *stream, const tocha_norm_args *args);
  bool (*norm_weights)(tocha_stream *stream, const tocha_norm_args *args);
} tocha_normalization_kernels;

#ifdef __cplusplus
}
#endif
#endif
