/* axis.h: the elements of one dimension that an element of the resampled dimension consists of (its
 * taps), and their weights. Shared by the CPU's loops, where T is a typedef, and the GPU's kernels,
 * where T is a template parameter. T is float for all dtypes but float64 and uint8. */
#ifndef TOCHA_AXIS_H
#define TOCHA_AXIS_H

#include "ops/resampling/kernels.h"
#include "tensor/math/scalar_math.h"

#ifdef __cplusplus
#define AXIS_OF_T template <class T> TOCHA_DEVICE static inline
#define AXIS_FMA(x, y, z) fma(x, y, z)
#define AXIS_CALL(function) function<T>
#else
#define AXIS_OF_T static inline
#define AXIS_FMA(x, y, z) _Generic((x), float : fmaf, default : fma)(x, y, z)
#define AXIS_CALL(function) function
#endif

/* The taps first, first + 1, ... before `end` of an antialiased position. */
#ifdef __cplusplus
template <class T>
#endif
struct tocha_wide_taps {
  T center, shrink;
  int64_t first, end;
};
#ifdef __cplusplus
#define TOCHA_WIDE_TAPS tocha_wide_taps<T>
#else
#define TOCHA_WIDE_TAPS struct tocha_wide_taps
#endif

/* Returns i moved into 0..n. */
TOCHA_DEVICE static inline int64_t tocha_axis_inside(int64_t i, int64_t n) {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Returns the position in the input of the center of element `i`. */
AXIS_OF_T T tocha_axis_middle(const tocha_axis *a, int64_t i) {
  const T scale = (T)a->scale;
  if (a->align_corners) return scale * (T)i;
  if (a->fused) return AXIS_FMA(scale, (T)i + (T)0.5, (T)-0.5);
  return scale * ((T)i + (T)0.5) - (T)0.5;
}

/* Returns the tap of element `i` in the two modes that pick one, which compute in float. */
TOCHA_DEVICE static inline int64_t tocha_axis_nearest(const tocha_axis *a, int64_t i) {
  const float scale = (float)a->scale;
  const bool exact = a->mode == TOCHA_AXIS_NEAREST_EXACT;
  if (!exact && a->out == a->in) return i;
  if (!exact && a->out == 2 * a->in) return i / 2;
  return tocha_axis_inside((int64_t)floorf(exact ? ((float)i + 0.5f) * scale : (float)i * scale),
                           a->in);
}

/* Finds the two taps of element `i` between two elements. If the size does not change, elements
 * stay as they are at any scale. */
AXIS_OF_T void tocha_axis_linear(const tocha_axis *a, int64_t i, int64_t *at, T *weights) {
  T middle = a->out == a->in ? (T)i : AXIS_CALL(tocha_axis_middle)(a, i);
  if (middle < 0) middle = 0;
  at[0] = tocha_axis_inside((int64_t)middle, a->in);
  at[1] = tocha_axis_inside(at[0] + 1, a->in);
  const T rest = middle - (T)at[0];
  weights[1] = rest > 1 ? (T)1 : rest;
  weights[0] = 1 - weights[1];
}

/* Return the weight of the cubic convolution kernel of -3/4 at distance x up to 1, and from 1 to 2.
 * The fused multiply-adds determine the last digit. */
AXIS_OF_T T tocha_axis_near_cubic(T x) {
  const T slope = AXIS_FMA((T)1.25, x, (T)-2.25);
  return slope * x * x + 1;
}
AXIS_OF_T T tocha_axis_far_cubic(T x) {
  const T slope = AXIS_FMA((T)-0.75, x, (T)3.75);
  return AXIS_FMA(slope, x, (T)-6) * x + 3;
}

/* Finds the four taps of element `i` in cubic modes. */
AXIS_OF_T void tocha_axis_cubic(const tocha_axis *a, int64_t i, int64_t *at, T *weights) {
  const T middle = AXIS_CALL(tocha_axis_middle)(a, i), before = TOCHA_SCALAR_MATH(floor, middle);
  const T rest = middle - before, other = 1 - rest;
  weights[0] = AXIS_CALL(tocha_axis_far_cubic)(rest + 1);
  weights[1] = AXIS_CALL(tocha_axis_near_cubic)(rest);
  weights[2] = AXIS_CALL(tocha_axis_near_cubic)(other);
  weights[3] = AXIS_CALL(tocha_axis_far_cubic)(other + 1);
  for (int k = 0; k < 4; k++) at[k] = tocha_axis_inside((int64_t)before - 1 + k, a->in);
}

/* --- antialiased modes ------------------------------------------------------------------------- */

/* Returns the taps of element `i` in antialiased modes. */
AXIS_OF_T TOCHA_WIDE_TAPS tocha_axis_wide(const tocha_axis *a, int64_t i) {
  TOCHA_WIDE_TAPS taps = {(T)i + (T)0.5, 1, i, i + 1};
  if (a->keeps) return taps;
  taps.center = (T)a->scale * ((T)i + (T)0.5);
  taps.shrink = a->scale >= 1 ? 1 / (T)a->scale : (T)1;
  taps.first = (int64_t)((double)taps.center - a->support + 0.5);
  taps.end = (int64_t)((double)taps.center + a->support + 0.5);
  if (taps.first < 0) taps.first = 0;
  if (taps.end > a->in) taps.end = a->in;
  return taps;
}

/* Returns the weight of position `at`, by which the sum of all is still to be divided. */
AXIS_OF_T T tocha_axis_wide_weight(const tocha_axis *a, const TOCHA_WIDE_TAPS *taps, int64_t at) {
  const T x = (T)(((double)((T)at - taps->center) + 0.5) * taps->shrink);
  const double d = x < 0 ? -(double)x : (double)x, c = -0.5;
  if (a->mode == TOCHA_AXIS_LINEAR_WIDE) return d < 1 ? (T)(1 - d) : (T)0;
  if (d <= 1) return (T)(((c + 2) * d - (c + 3)) * d * d + 1);
  return d < 2 ? (T)(((c * d - 5 * c) * d + 8 * c) * d - 4 * c) : (T)0;
}

/* Returns the sum of the weights. */
AXIS_OF_T T tocha_axis_wide_sum(const tocha_axis *a, const TOCHA_WIDE_TAPS *taps) {
  T sum = 0;
  for (int64_t at = taps->first; at < taps->end; at++)
    sum += AXIS_CALL(tocha_axis_wide_weight)(a, taps, at);
  return sum;
}

#endif
