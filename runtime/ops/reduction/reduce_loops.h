/* reduce_loops.h: the inner loops of reductions, one copy per instruction set. */
#ifndef TOCHA_REDUCE_LOOPS_H
#define TOCHA_REDUCE_LOOPS_H

#include "core/internal.h"

/* Two dimensions of a reduction: out = out (op) in for every element; an out stride of 0 marks a
 * dimension that is reduced. Strides in bytes, the inner dimension first. */
typedef struct tocha_plane {
  char *out;
  const char *in;
  int64_t size[2], out_stride[2], in_stride[2];
} tocha_plane;

typedef void (*tocha_plane_loop)(const tocha_plane *plane);

enum { TOCHA_REDUCE_FLOAT32, TOCHA_REDUCE_FLOAT64, TOCHA_REDUCE_INT64, TOCHA_REDUCE_TYPES };

typedef struct tocha_reduce_loops {
  tocha_plane_loop sum[TOCHA_REDUCE_TYPES];
  tocha_plane_loop prod[TOCHA_REDUCE_TYPES];
  tocha_plane_loop max[TOCHA_REDUCE_TYPES]; /* NaN wins */
  tocha_plane_loop min[TOCHA_REDUCE_TYPES]; /* NaN wins */
  /* The first position of the extreme value (of NaN, where there is one) among n > 0 contiguous
   * elements. */
  int64_t (*argmax[TOCHA_REDUCE_TYPES])(const void *in, int64_t n);
  int64_t (*argmin[TOCHA_REDUCE_TYPES])(const void *in, int64_t n);
  /* best, index (width elements) against one row of candidates at position `at`. */
  void (*step_max[TOCHA_REDUCE_TYPES])(void *best, int64_t *index, const void *in, int64_t width,
                                       int64_t at);
  void (*step_min[TOCHA_REDUCE_TYPES])(void *best, int64_t *index, const void *in, int64_t width,
                                       int64_t at);
  int64_t (*count)(const uint8_t *in, int64_t n);     /* sum of n bytes */
  double (*square_sum[2])(const void *in, int64_t n); /* float32, float64: as norm sums */
  /* float32, float64: the sum over n elements of x - center, squared or not, in float64 lanes. */
  double (*deviations[2])(const void *in, int64_t n, double center, bool squared);
} tocha_reduce_loops;

const tocha_reduce_loops *tocha_reduce_loops_of(tocha_context *cx);

#endif
