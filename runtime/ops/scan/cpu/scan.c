/* scan.c: the loops of scan.h. float32 sums and products are computed in float64, as in PyTorch.
 * NaN replaces any extreme, and the last of several equal extremes counts. */
#include "ops/scan/cpu/scan.h"

#include <math.h>

#include "ops/scan/kernels.h"

#ifdef TOCHA_LOOPS_int64
typedef uint64_t A; /* integers wrap */
#define TOTAL(state) ((state)->total.integer)
#define BEST(state) ((state)->best.int64)
#else
typedef double A;
#define TOTAL(state) ((state)->total.real)
#ifdef TOCHA_LOOPS_float32
#define BEST(state) ((state)->best.float32)
#else
#define BEST(state) ((state)->best.float64)
#endif
#endif

static void start_columns(int kind, tocha_scan_state *state, int64_t width) {
  for (int64_t j = 0; j < width; j++) {
    TOTAL(state)[j] = kind == TOCHA_SCAN_PRODUCT ? 1 : 0;
#ifndef TOCHA_LOOPS_int64
    if (kind == TOCHA_SCAN_LOGSUM) TOTAL(state)[j] = -INFINITY;
#endif
    BEST(state)[j] = 0;
    state->index[j] = -1;
  }
}

/* Returns true if x replaces best. */
static inline bool replaces(int kind, T x, T best) {
  return (kind == TOCHA_SCAN_MAX ? x >= best : x <= best) || TOCHA_IS_NAN(x);
}

/* Writes the running sums of n elements, `step` apart, and returns the last one. */
static inline A sums(A total, const T *restrict in, T *restrict out, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    total += (A)in[i * step];
    out[i * step] = (T)total;
  }
  return total;
}

/* Does the same for adjacent elements, with vectorized conversions. */
static A dense_sums(A total, const T *restrict in, T *restrict out, int64_t n) {
  enum { W = 16 };
  int64_t i = 0;
  for (; i + W <= n; i += W) {
    A x[W];
    for (int k = 0; k < W; k++) x[k] = (A)in[i + k];
    for (int k = 0; k < W; k++) x[k] = total += x[k];
    for (int k = 0; k < W; k++) out[i + k] = (T)x[k];
  }
  return sums(total, in + i, out + i, 1, n - i);
}

static inline A products(A total, const T *restrict in, T *restrict out, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    total *= (A)in[i * step];
    out[i * step] = (T)total;
  }
  return total;
}

/* Returns log(exp(total) + exp(x)). Not used for integers. */
static inline A log_sum(A total, T x) {
#ifdef TOCHA_LOOPS_int64
  return total + (A)x;
#else
  A y = (A)x, low = y < total ? y : total, high = y < total ? total : y;
  if (total != total) return total;
  return low != high || isfinite(low) ? log1p(exp(low - high)) + high : y;
#endif
}

static A log_sums(A total, const T *in, T *out, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; i++) out[i * step] = (T)(total = log_sum(total, in[i * step]));
  return total;
}

static void row_of_extremes(int kind, tocha_scan_state *state, const T *in, T *out,
                            int64_t *indices, int64_t step, int64_t first, int64_t n) {
  T best = BEST(state)[0];
  int64_t index = state->index[0];
  for (int64_t i = 0; i < n; i++) {
    if (index < 0 || replaces(kind, in[i * step], best)) {
      best = in[i * step];
      index = first + i;
    }
    out[i * step] = best;
    indices[i * step] = index;
  }
  BEST(state)[0] = best;
  state->index[0] = index;
}

static void row(int kind, tocha_scan_state *state, const void *source, void *target,
                int64_t *indices, int64_t step, int64_t first, int64_t n) {
  const T *in = source;
  T *out = target;
  A *total = TOTAL(state);
  if (first == 0) start_columns(kind, state, 1);
  if (kind == TOCHA_SCAN_SUM)
    *total = step == 1 ? dense_sums(*total, in, out, n) : sums(*total, in, out, step, n);
  else if (kind == TOCHA_SCAN_PRODUCT)
    *total = step == 1 ? products(*total, in, out, 1, n) : products(*total, in, out, step, n);
  else if (kind == TOCHA_SCAN_LOGSUM)
    *total = log_sums(*total, in, out, step, n);
  else
    row_of_extremes(kind, state, in, out, indices, step, first, n);
}

static void columns(int kind, tocha_scan_state *state, const void *source, void *target,
                    int64_t *indices, int64_t index, int64_t width) {
  const T *restrict in = source;
  T *restrict out = target;
  A *restrict total = TOTAL(state);
  T *restrict best = BEST(state);
  if (kind == TOCHA_SCAN_SUM) {
    for (int64_t j = 0; j < width; j++) out[j] = (T)(total[j] += (A)in[j]);
  } else if (kind == TOCHA_SCAN_PRODUCT) {
    for (int64_t j = 0; j < width; j++) out[j] = (T)(total[j] *= (A)in[j]);
  } else if (kind == TOCHA_SCAN_LOGSUM) {
    for (int64_t j = 0; j < width; j++) out[j] = (T)(total[j] = log_sum(total[j], in[j]));
  } else {
    for (int64_t j = 0; j < width; j++) {
      if (state->index[j] < 0 || replaces(kind, in[j], best[j])) {
        best[j] = in[j];
        state->index[j] = index;
      }
      out[j] = best[j];
      indices[j] = state->index[j];
    }
  }
}

const tocha_scan_loops TOCHA_LOOPS(scan) = {row, start_columns, columns};
