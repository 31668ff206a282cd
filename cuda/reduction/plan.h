/* plan.h: the division of a reduction among blocks, threads and parts.
 *
 * A plan depends only on shapes and strides, not on the GPU, so that the order of a
 * floating-point sum is the same everywhere. */
#pragma once

#include "ops/reduction/kernels.h"
#include "runtime/state.h"

namespace tocha {

enum { MAX_THREADS = 512, STATE_BYTES = 24 };

/* For each of `outputs` positions of the kept dimensions, the reduction of `count` elements of
 * the reduced ones. Dimensions are collapsed, innermost first. A block has threads_x * threads_y
 * threads: x along the reduced elements and y along outputs, or (columns) x along outputs and y
 * along the reduced elements. If parts > 1, each part takes `part` elements and leaves its state
 * in `work`. */
struct ReducePlan {
  const void *in;
  void *out, *second; /* either may be NULL if the reduction allows it */
  void *work;         /* STATE_BYTES for each output and part */
  long long outputs, count, part;
  int64_t kept_sizes[TOCHA_LAYOUT_DIMS];
  int64_t kept_strides[TOCHA_LAYOUT_DIMS]; /* strides of `in`, in bytes */
  int64_t out_strides[TOCHA_LAYOUT_DIMS];  /* in elements */
  int64_t reduced_sizes[TOCHA_LAYOUT_DIMS];
  int64_t reduced_strides[TOCHA_LAYOUT_DIMS];
  double number;
  int kept_dims, reduced_dims, parts;
  int loop, finish; /* the row's */
  int compute;      /* float32, float64 or int64 */
  int threads_x, threads_y;
  int in_dtype, out_dtype, second_dtype;
  int columns, max; /* 0 or 1 */
};

/* Makes the plan. Returns false if there are more dimensions than a plan has. */
bool plan_reduction(const tocha_reduce_args &args, ReducePlan &plan);

} // namespace tocha
