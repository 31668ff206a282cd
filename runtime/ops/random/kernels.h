/* kernels.h: the kernels of random numbers: their args, and the table that a device fills (device/kernels.h).
 *
 * A seed gives the numbers of mt19937 on the CPU, and of Philox4x32-10 on a GPU. Which element gets
 * which of them is the kernel's affair: it takes what it draws from `generator`, which is the host's memory
 * and of the kernel's device, before it returns. */
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
  TOCHA_DISTRIBUTION_LOG_NORMAL,  /* exp of that */
  TOCHA_DISTRIBUTION_EXPONENTIAL, /* rate a */
  TOCHA_DISTRIBUTION_CAUCHY,      /* median a, scale b */
  TOCHA_DISTRIBUTION_GEOMETRIC,   /* of successes of probability a */
  TOCHA_DISTRIBUTION_BERNOULLI,   /* b with probability a, else 0 */
  TOCHA_DISTRIBUTION_INTEGERS     /* base + bits % range (range 0: all 64 bits) */
} tocha_distribution;

/* layout: the output, its dimensions in the order of memory. wide: integers of 64 bits, else of 32.
 * row_major: the tensor is, and has no gaps. */
typedef struct tocha_random_args {
  const tocha_strided_layout *layout;
  tocha_generator *generator;
  uint64_t range;
  int64_t base;
  double a, b;
  int32_t distribution; /* tocha_distribution */
  bool wide, row_major;
} tocha_random_args;

/* layout: 0 the output, which becomes 1 or 0, 1 the probability of 1; dimensions as the tensors have them
 * (tocha_plain_layout). */
typedef struct tocha_bernoulli_args {
  const tocha_strided_layout *layout;
  tocha_generator *generator;
} tocha_bernoulli_args;

/* layout: 0 the output, 1 the input, of one floating dtype, 2 the mask (bool); dimensions as the tensors have
 * them. Output = input / keep with probability keep, else 0. keep may be 0. */
typedef struct tocha_dropout_args {
  const tocha_strided_layout *layout;
  tocha_generator *generator;
  double keep;
} tocha_dropout_args;

/* order (n): 0, ..., n - 1 in random order. */
typedef struct tocha_permutation_args {
  int64_t *order;
  int64_t n;
  tocha_generator *generator;
} tocha_permutation_args;

/* order lies in the order of its sorted keys (int64 or int32): what has equal keys is shuffled. */
typedef struct tocha_shuffle_args {
  const void *keys;
  int64_t *order;
  int64_t n;
  tocha_generator *generator;
  bool wide;
} tocha_shuffle_args;

/* weights (numel) must be finite and not negative, the sums of their rows positive; float32, or float64 if wide.
 * Else the error is one of these, said at once or at the next wait; they live on. On a device infinite_weight is not read. */
typedef struct tocha_weights_args {
  const void *weights, *sums;
  int64_t numel, rows;
  const char *invalid_weight, *infinite_weight, *invalid_sum;
  bool wide;
} tocha_weights_args;

/* out (rows, samples): categories drawn by weights (rows, categories), float32, or float64 if wide. */
typedef struct tocha_multinomial_args {
  const void *weights;
  int64_t *out;
  int64_t rows, categories, samples;
  tocha_generator *generator;
  bool replacement, wide;
} tocha_multinomial_args;

/* out (rows, samples): for each sample the category at which the running sum of shares (rows, categories),
 * up to about 1, passes a uniform number; float32, or float64 if wide. */
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
  /* A permutation comes from one of these: by itself, or (NULL) of sorted random keys and shuffle. */
  bool (*permutation)(tocha_stream *stream, const tocha_permutation_args *args);
  bool (*shuffle)(tocha_stream *stream, const tocha_shuffle_args *args);
  bool (*check_weights)(tocha_stream *stream, const tocha_weights_args *args);
  /* So does a multinomial: by itself, or (NULL) of operators and categorical. */
  bool (*multinomial)(tocha_stream *stream, const tocha_multinomial_args *args);
  bool (*categorical)(tocha_stream *stream, const tocha_categorical_args *args);
} tocha_random_kernels;

#ifdef __cplusplus
}
#endif
#endif
