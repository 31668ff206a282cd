/* kernels.h: the kernels of reductions: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_REDUCTION_KERNELS_H
#define TOCHA_REDUCTION_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TOCHA_REDUCE_SUM,
  TOCHA_REDUCE_COUNT, /* of what is not zero */
  TOCHA_REDUCE_PRODUCT,
  TOCHA_REDUCE_EXTREME,
  TOCHA_REDUCE_POSITION, /* the extreme in out, its index (int64) in second */
  TOCHA_REDUCE_MOMENTS,  /* variance, and the mean in second */
  TOCHA_REDUCE_LOG_SUM_EXP
};

/* What is done to each element of a sum or an extreme. */
enum { TOCHA_MAP_NONE, TOCHA_MAP_NO_NAN, TOCHA_MAP_ABS, TOCHA_MAP_SQUARE, TOCHA_MAP_POWER };

/* What is done to the result. */
enum {
  TOCHA_FINAL_NONE,
  TOCHA_FINAL_MEAN, /* divided by count */
  TOCHA_FINAL_ROOT,
  TOCHA_FINAL_POWER, /* to the power 1 / number */
  TOCHA_FINAL_ALL,   /* of a count: equals count */
  TOCHA_FINAL_ANY
};

/* For each of `outputs` places of the kept dimensions, the reduction of `count` elements of the
 * reduced ones. Dimensions are collapsed, innermost first. A block has threads_x * threads_y
 * threads: x along the reduced elements and y along outputs, or (columns) x along outputs and y
 * along the reduced elements. With parts > 1 each of them takes `part` elements and leaves its
 * state in work. */
typedef struct tocha_reduce_args {
  const void *in;
  void *out, *second; /* either may be NULL where operation allows */
  void *work;         /* 24 bytes for each output and part */
  int64_t outputs, count, part;
  int64_t kept_sizes[TOCHA_LAYOUT_DIMS];
  int64_t kept_strides[TOCHA_LAYOUT_DIMS]; /* of in, in bytes */
  int64_t out_strides[TOCHA_LAYOUT_DIMS];  /* in elements */
  int64_t reduced_sizes[TOCHA_LAYOUT_DIMS];
  int64_t reduced_strides[TOCHA_LAYOUT_DIMS];
  double number; /* exponent of a norm; correction of a variance */
  int32_t kept_dims, reduced_dims, parts;
  int32_t operation, map, end;
  int32_t compute; /* float32, float64 or int64 */
  int32_t threads_x, threads_y;
  int32_t in_dtype, out_dtype, second_dtype;
  int32_t columns, max; /* 0 or 1 */
} tocha_reduce_args;

typedef struct tocha_reduction_kernels {
  bool (*reduce)(tocha_stream *stream, const tocha_reduce_args *args); /* every reduction */
} tocha_reduction_kernels;

#ifdef __cplusplus
}
#endif
#endif
