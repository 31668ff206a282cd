/* taps.h: for each element of a resampled dimension, the source elements and their weights
 * (taps.c). */
#ifndef TOCHA_RESAMPLING_TAPS_H
#define TOCHA_RESAMPLING_TAPS_H

#include "core/internal.h"
#include "ops/resampling/kernels.h"

typedef struct tocha_tap_rule {
  const char *mode; /* nearest, nearest-exact, linear, cubic, linear-aa, cubic-aa */
  int64_t in, out;
  bool align_corners;
  double scale; /* as the caller asked; 0: determined by the sizes */
  bool corners; /* for tocha_blend_args */
  bool keeps;   /* an antialiased dimension of the same size, whose elements stay as they are */
  int rounds;   /* dtype of rounded weights; uint8: 16-bit whole numbers; NO_DTYPE: not rounded */
} tocha_tap_rule;

/* Positions and weights, both (count, out): element i is the sum over k of weights[k, i] *
 * input[positions[k, i]]. */
typedef struct tocha_taps {
  int count;
  tocha_tensor *positions, *weights; /* weights: NULL if all are 1 */
} tocha_taps;

/* Returns the rule as kernels take it. single: computed in float32. */
tocha_axis tocha_axis_of(const tocha_tap_rule *rule, bool single);

/* Finds the taps on `device`. Weights, if there are any, have dtype (float32 or float64); for uint8
 * they have float64 if sums need it. */
bool tocha_find_taps(tocha_context *cx, const tocha_tap_rule *rule, tocha_dtype dtype,
                     tocha_device device, tocha_taps *taps);

#endif
