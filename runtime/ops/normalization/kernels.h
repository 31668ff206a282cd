/* kernels.h: the arguments of the kernels of softmax and of normalization, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_NORMALIZATION_KERNELS_H
#define TOCHA_NORMALIZATION_KERNELS_H

#include "device/strided.h"
#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Softmax along n of (outer, n, inner), with all tensors row-major and of one floating dtype. Backward if result is given; `in`
 * is then the gradient. */
typedef struct tocha_softmax_args {
  const void *in, *result;
  void *out;
  int64_t outer, n, inner;
  int8_t dtype;
  bool log;
  bool last;    /* n is the last dimension of the operator's tensor */
  int8_t given; /* the 16-bit dtype of the operator's tensors; 0: they have dtype */
} tocha_softmax_args;

/* Tensors are row-major (runs, sets, length). Each set, all elements of one index in the middle, has a mean and a reciprocal of
 * its deviation. Element i of a set has the weight of channel (set % groups) * (length / inner) + i / inner. For layers, runs =
 * groups = inner = 1; for groups of channels, runs = 1; for batches, length = inner and sets = groups = channels. in, grad and
 * out are of dtype, all others of the dtype that is computed in, except (on a GPU) weight and bias if `narrow`, and grad_weight
 * and grad_bias if `narrow_gradients`, which are of dtype, too. NULL: missing, or not wanted. */
typedef struct tocha_norm_args {
  const void *in, *grad, *weight, *bias;
  void *out, *mean, *rstd, *grad_weight, *grad_bias;
  /* (sets): the statistics that are used if `fixed`; otherwise updated */
  void *running_mean, *running_var;
  int64_t runs, sets, length, groups, inner;
  double eps, momentum;
  int8_t dtype;
  bool narrow, narrow_gradients;
  bool fixed, known; /* known: mean and rstd are given to `norm`, too (on the CPU) */
  int8_t kept;       /* on the CPU: the dtype of the sums for layers' grad_weight and grad_bias */
  void *
      partial; /* on a GPU: scratch memory for partial sums of the compute type; NULL if there are none */
  /* mean and rstd of float elements, as for layers and groups (on the CPU); one run */
  bool one_pass;
  bool
      about_zero; /* on a GPU, for rows: zero takes the place of the mean, which is NULL (rms_norm) */
} tocha_norm_args;

enum { TOCHA_NORM_ROW_THREADS = 256 }; /* threads of a block of a GPU's kernels for rows */

/* Returns the number of parts that are summed separately if the blocks of a GPU's kernel take one part each. */
static inline int64_t tocha_norm_parts(int64_t blocks) {
  int64_t parts = 2048 / blocks;
  return parts < 1 ? 1 : parts < 128 ? parts : 128;
}

/* Returns the number of parts of each set of n elements, in a kernel whose blocks take one part each. Many sets are not divided,
 * because a large GPU runs about so many blocks at once. */
static inline int64_t tocha_norm_set_parts(int64_t sets, int64_t n) {
  enum { MANY_SETS = 512, PART = 2048 };
  const int64_t parts = sets < MANY_SETS ? tocha_norm_parts(sets) : 1,
                maximum = (n + PART - 1) / PART;
  return parts < maximum ? parts : maximum;
}

/* Returns true if each set is a row that the threads of one block hold in registers. */
static inline bool tocha_norm_takes_rows(const tocha_norm_args *a) {
  const int64_t each = a->dtype == TOCHA_FLOAT64 ? 16 : 32;
  return a->runs == 1 && a->length <= each * TOCHA_NORM_ROW_THREADS;
}

/* Returns the number of parts of each channel of each sample (`channels` in all) whose gradients a GPU's kernel sums first. */
static inline int64_t tocha_norm_channel_parts(int64_t channels) {
  int64_t parts = 1024 / channels;
  return parts < 1 ? 1 : parts;
}

/* Returns the number of parts for rows of `length` elements, whose weights' gradients are sums over rows. */
static inline int64_t tocha_norm_row_parts(int64_t length) {
  int64_t parts = (1 << 21) / length;
  return parts < 64 ? 64 : parts < 1024 ? parts : 1024;
}

static inline int64_t tocha_norm_larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Returns the number of partial sums that a GPU's kernels keep in the forward pass: three for each part of a set. */
static inline int64_t tocha_norm_partial_moments(const tocha_norm_args *a) {
  if (a->fixed || tocha_norm_takes_rows(a)) return 0;
  if (a->length == 1) return 3 * a->sets * tocha_norm_parts((a->sets + 31) / 32);
  const int64_t parts = tocha_norm_set_parts(a->sets, a->runs * a->length);
  return parts == 1 ? 0 : 3 * a->sets * parts;
}

/* Returns the number of partial sums that a GPU's kernels keep in the backward pass: two for each part of a set, or for each part
 * of a channel, of all samples or of each. */
static inline int64_t tocha_norm_partial_gradients(const tocha_norm_args *a) {
  int64_t channels = a->groups * (a->length / a->inner);
  int64_t sets = 2 * a->sets * tocha_norm_parts(a->length == 1 ? (a->sets + 31) / 32 : a->sets);
  int64_t weights =
      2 * channels * tocha_norm_parts(a->inner == 1 ? (channels + 31) / 32 : channels);
  if (a->runs != 1) return tocha_norm_larger(sets, weights);
  int64_t rows = 2 * a->length * tocha_norm_row_parts(a->length);
  int64_t of_samples = a->sets * (a->length / a->inner);
  of_samples *= 2 * tocha_norm_channel_parts(of_samples);
  return tocha_norm_larger(sets, tocha_norm_larger(weights, a->inner == 1 ? rows : of_samples));
}

/* Returns true for batches, whose sets have one channel each. */
static inline bool tocha_norm_of_batches(const tocha_norm_args *a) {
  return a->length == a->inner && a->groups == a->sets && !a->one_pass;
}

typedef struct tocha_normalization_kernels {
  bool (*softmax)(tocha_stream *stream, const tocha_softmax_args *args);
  /* Computes out, mean and rstd from in, weight and bias. */
  bool (*norm)(tocha_stream *stream, const tocha_norm_args *args);
  /* norm_backward computes out, the gradient of in, from grad, in, weight, mean and rstd; norm_weights computes grad_weight and
   * grad_bias. */
  bool (*norm_backward)(tocha_stream *stream, const tocha_norm_args *args);
  bool (*norm_weights)(tocha_stream *stream, const tocha_norm_args *args);
} tocha_normalization_kernels;

#ifdef __cplusplus
}
#endif
#endif
