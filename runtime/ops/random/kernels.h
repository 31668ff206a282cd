/* kernels.h: the kernels of random numbers: what they are given, and the table that a device fills (device/kernels.h).
 *
 * Philox4x32-10 as PyTorch's kernels use it: thread t of a launch takes the blocks of four words
 * whose counter is {offset / 4, + 1, ..., t} of the key `seed`. `blocks` (of 256 threads) is part
 * of what the numbers are.
 */
#ifndef TOCHA_RANDOM_KERNELS_H
#define TOCHA_RANDOM_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TOCHA_DISTRIBUTION_UNIFORM,     /* [a, b) */
  TOCHA_DISTRIBUTION_NORMAL,      /* mean a, standard deviation b */
  TOCHA_DISTRIBUTION_LOG_NORMAL,  /* exp of that */
  TOCHA_DISTRIBUTION_EXPONENTIAL, /* rate a */
  TOCHA_DISTRIBUTION_CAUCHY,      /* median a, scale b */
  TOCHA_DISTRIBUTION_GEOMETRIC,   /* of successes of probability a */
  TOCHA_DISTRIBUTION_BERNOULLI,   /* b with probability a, else 0 */
  TOCHA_DISTRIBUTION_INTEGERS /* base + bits % range (range 0: all 64 bits), of 32 bits, or of 64 if wide */
};

/* walk: the output, all byte offsets and numbers below 2^31. */
typedef struct tocha_random_args {
  tocha_strided_layout layout;
  uint64_t seed, offset, range;
  int64_t base, blocks;
  double a, b;
  int32_t kind;
  bool wide;
} tocha_random_args;

/* walk: 0 what becomes 1 or 0, 1 the probability of 1 (float64 where 0 is, else float32). */
typedef struct tocha_bernoulli_args {
  tocha_strided_layout layout;
  uint64_t seed, offset;
} tocha_bernoulli_args;

/* walk: 0 the output, 1 the input, of one floating dtype, 2 the mask (bool). Output = input / keep
 * with probability keep, else 0. width: how many elements in a row a thread takes at a time, where
 * all three lie in memory alike and without gaps; 1: by the layout. */
typedef struct tocha_dropout_args {
  tocha_strided_layout layout;
  uint64_t seed, offset;
  int64_t blocks;
  double keep;
  int32_t width;
} tocha_dropout_args;

/* order lies in the order of its sorted keys (int64 or int32): what has equal keys is shuffled. */
typedef struct tocha_shuffle_args {
  const void *keys;
  int64_t *order;
  int64_t n;
  uint64_t seed, offset;
  bool wide;
} tocha_shuffle_args;

/* out (rows, samples): for each sample a category whose running sum of shares (rows, categories),
 * up to about 1, passes a uniform number; float32, or float64 if wide. */
typedef struct tocha_multinomial_args {
  const void *sums, *shares;
  int64_t *out;
  int64_t rows, categories, samples;
  uint64_t seed, offset;
  bool wide;
} tocha_multinomial_args;

typedef struct tocha_random_kernels {
  bool (*random)(tocha_stream *stream,
                 const tocha_random_args *args); /* a tensor of numbers of one distribution */
  bool (*bernoulli)(
      tocha_stream *stream,
      const tocha_bernoulli_args *args); /* 1 with the probability another tensor says */
  bool (*dropout)(tocha_stream *stream, const tocha_dropout_args *args); /* and its mask */
  bool (*shuffle)(tocha_stream *stream,
                  const tocha_shuffle_args *args); /* what has equal keys, for permutations */
  bool (*multinomial)(tocha_stream *stream,
                      const tocha_multinomial_args *args); /* categories by their weights */
} tocha_random_kernels;

#ifdef __cplusplus
}
#endif
#endif
