/* windows.h: the places that a window covers, for the CPU's loops and the GPU's kernels. */
#ifndef TOCHA_POOLING_WINDOWS_H
#define TOCHA_POOLING_WINDOWS_H

#include "ops/pooling/kernels.h"
#include "tensor/math/scalar_math.h"

/* The places of one dimension that a window covers: first, first + step, ... (count of them). */
typedef struct tocha_pool_span {
  int64_t first, count, step;
} tocha_pool_span;

TOCHA_DEVICE static inline tocha_pool_span tocha_pool_span_of(const tocha_pool_windows *w, int d,
                                                              int64_t window) {
  tocha_pool_span s;
  int64_t in = w->in[d], out = w->out[d];
  if (w->starts) {
    s.first = w->starts[(d > 0 ? w->out[0] : 0) + (d > 1 ? w->out[1] : 0) + window];
    s.count = w->kernel[d];
    s.step = 1;
    return s;
  }
  s.step = w->adaptive ? 1 : w->dilation[d];
  if (w->adaptive) {
    s.first = window * in / out;
    s.count = ((window + 1) * in + out - 1) / out - s.first;
    return s;
  }
  int64_t start = window * w->stride[d] - w->padding[d];
  int64_t skipped = start < 0 ? (-start + s.step - 1) / s.step : 0;
  s.first = start + skipped * s.step;
  s.count = s.first < in ? (in - s.first + s.step - 1) / s.step : 0;
  if (s.count > w->kernel[d] - skipped) s.count = w->kernel[d] - skipped;
  return s;
}

/* Returns how many places of one dimension an average divides by. The padding counts, places beyond
 * the padding do not. */
TOCHA_DEVICE static inline int64_t tocha_pool_padded_count(const tocha_pool_windows *w, int d,
                                                           int64_t window) {
  int64_t start = window * w->stride[d] - w->padding[d], end = start + w->kernel[d];
  int64_t last = w->in[d] + w->padding[d];
  return (end < last ? end : last) - start;
}

/* Returns the windows with the starts of this plane. */
TOCHA_DEVICE static inline tocha_pool_windows tocha_pool_windows_of(const tocha_pool_windows *w,
                                                                    int64_t plane) {
  tocha_pool_windows own = *w;
  if (w->starts) own.starts += plane * (w->out[0] + w->out[1] + w->out[2]);
  return own;
}

#endif
