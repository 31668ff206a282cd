/* taps.c: the loops of taps.h. */
#include "ops/resampling/cpu/taps.h"

#include "ops/resampling/axis.h"

static void find_wide(const tocha_axis *a, int64_t i, int64_t count, int64_t *at, double *weights) {
  struct tocha_wide_taps taps = tocha_axis_wide(a, i);
  const T sum = tocha_axis_wide_sum(a, &taps);
  for (int64_t k = 0; k < count; k++) {
    int64_t here = taps.first + k;
    T weight = here < taps.end ? tocha_axis_wide_weight(a, &taps, here) : 0;
    at[k * a->out] = tocha_axis_inside(here, a->in);
    weights[k * a->out] = sum != 0 ? (double)weight / (double)sum : (double)weight;
  }
}

static void find(const tocha_axis *a, int64_t count, int64_t *positions, double *weights) {
  int64_t at[4];
  T values[4] = {1, 0, 0, 0};
  for (int64_t i = 0; i < a->out; i++) {
    if (a->mode >= TOCHA_AXIS_LINEAR_WIDE) {
      find_wide(a, i, count, positions + i, weights + i);
      continue;
    }
    if (a->mode == TOCHA_AXIS_CUBIC)
      tocha_axis_cubic(a, i, at, values);
    else if (a->mode == TOCHA_AXIS_LINEAR)
      tocha_axis_linear(a, i, at, values);
    else
      at[0] = tocha_axis_nearest(a, i);
    for (int64_t k = 0; k < count; k++) {
      positions[k * a->out + i] = at[k];
      weights[k * a->out + i] = (double)values[k];
    }
  }
}

const tocha_taps_loops TOCHA_LOOPS(taps) = {find};
