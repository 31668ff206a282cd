/* sampling.h: the elements of an image that a sample consists of, and their weights. Shared by the
 * CPU's loops, where T is a typedef, and the GPU's kernels, where T is a template parameter. */
#ifndef TOCHA_SAMPLING_H
#define TOCHA_SAMPLING_H

#include "ops/resampling/kernels.h"
#include "tensor/math/scalar_math.h"

enum { TOCHA_SAMPLE_TAPS = 4, TOCHA_SAMPLE_POINTS = 64 };

#ifdef __cplusplus
/* The remainder of x / y. A GPU's fmod would need a stack in memory. */
#define TOCHA_SAMPLE_REST(x, y, quotient) fma(-(quotient), y, x)
#define TOCHA_OF_T template <class T> TOCHA_DEVICE
#define TOCHA_TAPS tocha_sample_taps<T>
#define TOCHA_POINTS tocha_sample_points<T>
template <class T>
#else
#define TOCHA_SAMPLE_REST(x, y, quotient) TOCHA_SCALAR_MATH2(fmod, x, y)
#define TOCHA_OF_T
#define TOCHA_TAPS struct tocha_sample_taps
#define TOCHA_POINTS struct tocha_sample_points
#endif
/* The taps of one dimension: positions (-1 if outside, where elements are zero), weights, and the
 * weights' first and second derivatives by the grid. */
struct tocha_sample_taps {
  int count;
  int64_t at[TOCHA_SAMPLE_TAPS];
  T value[TOCHA_SAMPLE_TAPS], slope[TOCHA_SAMPLE_TAPS], bend[TOCHA_SAMPLE_TAPS];
};

#ifdef __cplusplus
template <class T>
#endif
/* The taps of a place that are inside the image: the offset in the plane, the weight, and its
 * derivatives by the grid's coordinates. */
struct tocha_sample_points {
  int count;
  int64_t at[TOCHA_SAMPLE_POINTS];
  T weight[TOCHA_SAMPLE_POINTS], slope[TOCHA_SAMPLE_POINTS][3];
};

/* Returns x reflected into low/2 .. high/2. *sign: the slope of the reflection. */
TOCHA_OF_T static inline T tocha_sample_reflected(T x, int64_t low, int64_t high, T *sign) {
  *sign = 0;
  if (low == high) return 0;
  T lowest = (T)low / 2, span = (T)(high - low) / 2;
  bool below = x < lowest;
  T from = below ? lowest - x : x - lowest;
  T flips = TOCHA_SCALAR_MATH(floor, from / span);
  T extra = TOCHA_SAMPLE_REST(from, span, flips);
  bool even = TOCHA_SAMPLE_REST(flips, (T)2, TOCHA_SCALAR_MATH(floor, flips / 2)) == 0;
  *sign = below == even ? (T)-1 : (T)1;
  return even ? extra + lowest : span - extra + lowest;
}

/* Returns x moved into an image of `size` elements as the padding mode requires. Multiplies *factor
 * by the slope. NaN becomes a position, too: the first in planes, the last in volumes. */
TOCHA_OF_T static inline T tocha_sample_padded(const tocha_sample_args *a, int64_t size, T x,
                                               T *factor) {
  if (a->padding == TOCHA_SAMPLE_ZEROS) return x;
  if (a->padding == TOCHA_SAMPLE_REFLECTION) {
    T sign;
    x = a->align_corners ? tocha_sample_reflected(x, 0, 2 * (size - 1), &sign)
                         : tocha_sample_reflected(x, -1, 2 * size - 1, &sign);
    *factor *= sign;
  }
  T last = (T)(size - 1);
  if (x > 0 && x < last) return x;
  *factor = 0;
  if (x <= 0) return 0;
  return x >= last || a->space == 3 ? last : 0;
}

/* Returns the index of the element at x, or -1 outside. */
TOCHA_OF_T static inline int64_t tocha_sample_element(T x, int64_t size) {
  return x >= 0 && x < (T)size ? (int64_t)x : -1;
}

TOCHA_OF_T static inline void tocha_sample_cubic(const tocha_sample_args *a, int64_t size, T x,
                                                 T factor, TOCHA_TAPS *taps) {
  const T c = (T)-0.75;
  T before = TOCHA_SCALAR_MATH(floor, x), rest = x - before, unused = 1;
  taps->count = 4;
  for (int k = 0; k < 4; k++) {
    T signed_x = rest + 1 - (T)k, sign = signed_x < 0 ? (T)-1 : (T)1, d = signed_x * sign;
    taps->at[k] =
        tocha_sample_element(tocha_sample_padded(a, size, before - 1 + (T)k, &unused), size);
    if (k == 1 || k == 2) {
      taps->value[k] = ((c + 2) * d - (c + 3)) * d * d + 1;
      taps->slope[k] = (3 * (c + 2) * d - 2 * (c + 3)) * d * sign * factor;
      taps->bend[k] = (6 * (c + 2) * d - 2 * (c + 3)) * factor * factor;
    } else {
      taps->value[k] = ((c * d - 5 * c) * d + 8 * c) * d - 4 * c;
      taps->slope[k] = ((3 * c * d - 10 * c) * d + 8 * c) * sign * factor;
      taps->bend[k] = (6 * c * d - 10 * c) * factor * factor;
    }
  }
}

/* Returns the position for the grid's coordinate x. *factor: its slope. */
TOCHA_OF_T static inline T tocha_sample_place(T size, bool align_corners, T x, T *factor) {
  *factor = align_corners ? (size - 1) / 2 : size / 2;
  return align_corners ? (x + 1) * *factor : FMA(x + 1, *factor, (T)-0.5);
}

/* Finds the taps of a dimension of `size` elements for the grid's coordinate x. */
TOCHA_OF_T static inline void tocha_sample_find(const tocha_sample_args *a, int64_t size, T x,
                                                TOCHA_TAPS *taps) {
  T factor;
  x = tocha_sample_place((T)size, a->align_corners, x, &factor);
  if (a->mode == TOCHA_SAMPLE_CUBIC) {
    tocha_sample_cubic(a, size, x, factor, taps);
    return;
  }
  x = tocha_sample_padded(a, size, x, &factor);
  T first =
      a->mode == TOCHA_SAMPLE_NEAREST ? TOCHA_SCALAR_MATH(rint, x) : TOCHA_SCALAR_MATH(floor, x);
  taps->count = a->mode == TOCHA_SAMPLE_NEAREST ? 1 : 2;
  taps->at[0] = tocha_sample_element(first, size);
  taps->at[1] = tocha_sample_element(first + 1, size);
  taps->value[1] = x - first;
  taps->value[0] = a->mode == TOCHA_SAMPLE_NEAREST ? (T)1 : first + 1 - x;
  taps->slope[1] = factor;
  taps->slope[0] = a->mode == TOCHA_SAMPLE_NEAREST ? (T)0 : -factor;
  taps->bend[0] = taps->bend[1] = 0;
}

/* Returns the product of the weights of one tap per dimension, and its derivatives in slope.
 * w: rows (value, slope, bend), one for each coordinate. */
TOCHA_OF_T static inline T tocha_sample_weight(T w[3][3], T *slope) {
  for (int d = 0; d < 3; d++) slope[d] = w[d][1] * (w[(d + 1) % 3][0] * w[(d + 2) % 3][0]);
  return w[0][0] * w[1][0] * w[2][0];
}

/* Returns the derivative of that product in the direction of `tangent`, and the derivative's own
 * derivatives in slope. tangent: 3 coordinates; those that the grid lacks are 0. */
TOCHA_OF_T static inline T tocha_sample_weight_along(T w[3][3], const T *tangent, T *slope) {
  T weight = 0;
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    const T others = w[e][0] * w[f][0];
    weight += tangent[d] * (w[d][1] * others);
    slope[d] = tangent[d] * w[d][2] * others + tangent[e] * w[e][1] * w[d][1] * w[f][0] +
               tangent[f] * w[f][1] * w[d][1] * w[e][0];
  }
  return weight;
}

/* Finds the points of a place, (space). tangent: NULL, or 3 coordinates. */
TOCHA_OF_T static inline void tocha_sample_around(const tocha_sample_args *a, const T *place,
                                                  const T *tangent, TOCHA_POINTS *p) {
  TOCHA_TAPS taps[3]; /* of width, height, depth */
  for (int d = 0; d < 3; d++) {
    if (d < a->space) {
      tocha_sample_find(a, a->in[2 - d], place[d], &taps[d]);
      continue;
    }
    taps[d].count = 1;
    taps[d].at[0] = 0;
    taps[d].value[0] = 1;
    taps[d].slope[0] = taps[d].bend[0] = 0;
  }
  p->count = 0;
  for (int z = 0; z < taps[2].count; z++)
    for (int y = 0; y < taps[1].count; y++)
      for (int x = 0; x < taps[0].count; x++) {
        const int k[3] = {x, y, z};
        T w[3][3];
        int64_t at = taps[2].at[z];
        if (at < 0 || taps[1].at[y] < 0 || taps[0].at[x] < 0) continue;
        for (int d = 0; d < 3; d++) {
          w[d][0] = taps[d].value[k[d]];
          w[d][1] = taps[d].slope[k[d]];
          w[d][2] = taps[d].bend[k[d]];
        }
        p->at[p->count] = (at * a->in[1] + taps[1].at[y]) * a->in[2] + taps[0].at[x];
        T *slope = p->slope[p->count];
        p->weight[p->count] =
            tangent ? tocha_sample_weight_along(w, tangent, slope) : tocha_sample_weight(w, slope);
        p->count++;
      }
}

#endif
