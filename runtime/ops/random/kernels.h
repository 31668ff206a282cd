/* kernels.h: the arguments of random kernels, and the table that a device fills (device/kernels.h).
 *
 * A seed gives the numbers of mt19937 on the CPU, and of Philox4x32-10 on a GPU. The kernel decides
 * which element gets which number. `generator` is in host memory and belongs to the kernel's
 * device. The kernel draws from it before it returns. */
#ifndef TOCHA_RANDOM_KERNELS_H
#define TOCHA_RANDOM_KERNELS_H

#include "device/strided.h"
#include "random/random.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tocha_distribution {
  TOCHA_DISTRIBUTION_UNIFORM,     /* [a, b) */
  TOCHA_DISTRIBUTION_NORMAL,      /* mean a, standard deviation b */
  TOCHA_DISTRIBUTION_LOG_NORMAL,  /* exp of a normal number */
  TOCHA_DISTRIBUTION_EXPONENTIAL, /* rate a */
  TOCHA_DISTRIBUTION_CAUCHY,      /* median a, scale b */
  TOCHA_DISTRIBUTION_GEOMETRIC,   /* number of trials until a success of probability a */
  TOCHA_DISTRIBUTION_BERNOULLI,   /* b with probability a, else 0 */
  TOCHA_DISTRIBUTION_INTEGERS     /* base + bits % range (range 0: all 64 bits) */
} tocha_distribution;

/* The arguments of random. layout: the output, with dimensions in the order of its memory. wide:
 * integers of 64 bits, else of 32. row_major: the tensor is dense and row-major. */
typedef struct tocha_random_args {
  const tocha_strided_layout *layout;
  tocha_generator *generator;
  uint64_t range;
  int64_t base;
  double a, b;
  int32_t distribution; /* a tocha_distribution */
  bool wide, row_major;
} tocha_random_args;

/* The arguments of bernoulli. layout: 0 the output, which becomes 1 or 0, 1 the probability of 1.
 * Dimensions are in the tensors' order (tocha_plain_layout). */
typedef struct tocha_bernoulli_args {
  const tocha_strided_layout *layout;
  tocha_generator *generator;
} tocha_bernoulli_args;

/* The arguments of dropout. layout: 0 the output, 1 the input, both of one floating dtype, 2 the
 * mask (bool). Dimensions are in the tensors' order. The output is input / keep with probability
 * keep, else 0. keep may be 0. */
typedef struct tocha_dropout_args {
  const tocha_strided_layout *layout;
  tocha_generator *generator;
  double keep;
} tocha_dropout_args;

/* The arguments of a permutation: order (n) becomes 0, ..., n - 1 in random order. */
typedef struct tocha_permutation_args {
  int64_t *order;
  int64_t n;
  tocha_generator *generator;
} tocha_permutation_args;

/* The arguments of shuffle: order is sorted by keys (int64 if wide, else int32). Elements of equal
 * keys are shuffled. */
typedef struct tocha_shuffle_args {
  const void *keys;
  int64_t *order;
  int64_t n;
  tocha_generator *generator;
  bool wide;
} tocha_shuffle_args;

/* The arguments of check_weights. weights (numel), float32 or float64 if wide, must be finite and
 * not negative, and the sums of the rows positive. Otherwise one of the messages is reported, at
 * once or at the next wait. They must outlive the call. Devices do not use infinite_weight. */
typedef struct tocha_weights_args {
  const void *weights, *sums;
  int64_t numel, rows;
  const char *invalid_weight, *infinite_weight, *invalid_sum;
  bool wide;
} tocha_weights_args;

/* The arguments of multinomial: out (rows, samples) receives categories drawn by weights (rows,
 * categories), float32 or float64 if wide. */
typedef struct tocha_multinomial_args {
  const void *weights;
  int64_t *out;
  int64_t rows, categories, samples;
  tocha_generator *generator;
  bool replacement, wide;
} tocha_multinomial_args;

/* The arguments of categorical: out (rows, samples) receives, for each sample, the category at
 * which the running sum of shares (rows, categories), up to about 1, exceeds a uniform number.
 * float32, or float64 if wide. */
typedef struct tocha_categorical_args {
  const void *sums, *shares;
  int64_t *out;
  int64_t rows, categories, samples;
  tocha_generator *generator;
  bool wide;
} tocha_categorical_args;

typedef struct tocha_random_kernels {
  bool (*random)(tocha_stream *stream, const tocha_random_args *args);
  bool (*bernoulli)(tocha_stream *stream, const tocha_bernoulli_args *args);
  bool (*dropout)(tocha_stream *stream, const tocha_dropout_args *args);
  /* A permutation is drawn by `permutation`, or if that is NULL by sorting random keys and
   * `shuffle`. */
  bool (*permutation)(tocha_stream *stream, const tocha_permutation_args *args);
  bool (*shuffle)(tocha_stream *stream, const tocha_shuffle_args *args);
  bool (*check_weights)(tocha_stream *stream, const tocha_weights_args *args);
  /* A multinomial is drawn by `multinomial`, or if that is NULL by operators and `categorical`. */
  bool (*multinomial)(tocha_stream *stream, const tocha_multinomial_args *args);
  bool (*categorical)(tocha_stream *stream, const tocha_categorical_args *args);
} tocha_random_kernels;

#ifdef __cplusplus
}
#endif
#endif
