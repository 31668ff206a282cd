/* weigh.c: the loops of weigh.h. A tap after the other is added to a row, which stays in the cache. */
#include "ops/resampling/cpu/weigh.h"

#include "tensor/math/scalar_math.h"

/* LANES rows are summed side by side: their elements are brought together first, of so many places as WINDOW elements feed. */
enum { LANES = 16, WINDOW = 128 };

static inline void add_tap(const T *restrict x, T weight, T *restrict sum, int64_t n, bool fused) {
  if (fused)
    for (int64_t j = 0; j < n; j++) sum[j] = FMA(x[j], weight, sum[j]);
  else
    for (int64_t j = 0; j < n; j++) sum[j] += x[j] * weight;
}

/* Where the taps of place i lie: all of them from *low to *high once they are seen. */
static void widen(const tocha_weigh_args *a, int64_t i, int64_t *low, int64_t *high) {
  for (int64_t k = 0; k < a->count; k++) {
    int64_t at = a->positions[k * a->n + i];
    *low = at < *low ? at : *low;
    *high = at > *high ? at : *high;
  }
}

/* The first place after `begin` whose taps do not fit into the window. */
static int64_t fitting(const tocha_weigh_args *a, int64_t begin, int64_t *low, int64_t *high) {
  int64_t i = begin;
  *low = *high = a->positions[begin];
  for (; i < a->n; i++) {
    int64_t l = *low, h = *high;
    widen(a, i, &l, &h);
    if (h - l >= WINDOW) break;
    *low = l;
    *high = h;
  }
  return i;
}

/* One place of one row, however far apart its taps lie. */
static T single(const tocha_weigh_args *a, const T *in, int64_t i) {
  const T *weights = (const T *)a->weights;
  T sum = in[a->positions[i]] * weights[i];
  for (int64_t k = 1; k < a->count; k++)
    add_tap(in + a->positions[k * a->n + i], weights[k * a->n + i], &sum, 1, a->fused);
  return sum;
}

static void places(const tocha_weigh_args *a, const T *restrict window, int64_t low, int64_t begin,
                   int64_t end, T *restrict out, int64_t rows) {
  const T *weights = (const T *)a->weights;
  for (int64_t i = begin; i < end; i++) {
    T sum[LANES];
    const T *x = window + (a->positions[i] - low) * LANES;
    for (int r = 0; r < LANES; r++) sum[r] = x[r] * weights[i];
    for (int64_t k = 1; k < a->count; k++)
      add_tap(window + (a->positions[k * a->n + i] - low) * LANES, weights[k * a->n + i], sum,
              LANES, a->fused);
    for (int64_t r = 0; r < rows; r++) out[r * a->n + i] = sum[r];
  }
}

/* Up to LANES rows of one element each. */
static void along(const tocha_weigh_args *a, const T *restrict in, T *restrict out, int64_t rows) {
  T window[WINDOW * LANES];
  for (int64_t i = 0, low, high; i < a->n;) {
    int64_t end = fitting(a, i, &low, &high);
    if (end == i) {
      for (int64_t r = 0; r < rows; r++) out[r * a->n + i] = single(a, in + r * a->from, i);
      i++;
      continue;
    }
    for (int64_t r = 0; r < LANES; r++) {
      const T *x = in + (r < rows ? r : 0) * a->from;
      for (int64_t c = low; c <= high; c++) window[(c - low) * LANES + r] = x[c];
    }
    places(a, window, low, i, end, out, rows);
    i = end;
  }
}

/* A row that is a sum of whole rows. */
static void across(const tocha_weigh_args *a, const T *restrict in, T *restrict out, int64_t i) {
  const T *weights = (const T *)a->weights;
  int64_t inner = a->inner;
  const T *x = in + a->positions[i] * inner;
  for (int64_t j = 0; j < inner; j++) out[j] = x[j] * weights[i];
  for (int64_t k = 1; k < a->count; k++)
    add_tap(in + a->positions[k * a->n + i] * inner, weights[k * a->n + i], out, inner, a->fused);
}

static void weigh(const tocha_weigh_args *a, int64_t begin, int64_t end) {
  const T *in = (const T *)a->in;
  T *out = (T *)a->out;
  if (a->inner == 1) {
    for (int64_t row = begin; row < end; row += LANES)
      along(a, in + row * a->from, out + row * a->n, end - row < LANES ? end - row : LANES);
    return;
  }
  for (int64_t row = begin; row < end; row++)
    across(a, in + row / a->n * a->from * a->inner, out + row * a->inner, row % a->n);
}

const tocha_weigh_loops TOCHA_LOOPS(weigh) = {weigh};
