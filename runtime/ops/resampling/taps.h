/* taps.h: which elements of a dimension make up an element of the resampled one, and with which weights (taps.c). */
#ifndef TOCHA_RESAMPLING_TAPS_H
#define TOCHA_RESAMPLING_TAPS_H

#include "core/internal.h"

typedef struct tocha_tap_rule {
  const char *mode; /* nearest, nearest-exact, linear, cubic, linear-aa, cubic-aa */
  int64_t in, out;
  bool align_corners;
  double scale; /* as it was asked for; 0: by the sizes */
  bool corners; /* for tocha_blend_args */
  int rounds; /* the dtype whose numbers weights are: uint8: whole numbers of 16 bits; TOCHA_NO_DTYPE: as computed */
} tocha_tap_rule;

/* (count, out) both: element i is the sum of weights[k, i] * input[positions[k, i]] over k. */
typedef struct tocha_taps {
  int count;
  tocha_tensor *positions, *weights; /* weights: NULL for all 1 */
} tocha_taps;

/* On the device, the weights of dtype (float32 or float64, where there are any); for uint8 of float64 where sums need it. */
bool tocha_find_taps(tocha_context *cx, const tocha_tap_rule *rule, tocha_dtype dtype,
                     tocha_device device, tocha_taps *taps);

#endif
