/* weigh.c: the loops of weigh.h. Taps are added one after the other to a row that stays in the
 * cache. */
#include "ops/resampling/cpu/weigh.h"

#include "tensor/math/scalar_math.h"

/* LANES rows are added side by side. The elements that they need are first copied, interleaved,
 * into a window of WINDOW positions. */
enum { LANES = 16, WINDOW = 128 };

/* Returns the tap that is added in turn k: tap `first` in turn 0, then the others in order. */
static inline int64_t tap(const tocha_weigh_args *a, int64_t k) {
  return k == 0 ? a->first : k <= a->first ? k - 1 : k;
}

static inline void add_tap(const T *restrict x, T weight, T *restrict sum, int64_t n) {
  for (int64_t j = 0; j < n; j++) sum[j] = FMA(x[j], weight, sum[j]);
}

/* Widens [*low, *high] to include the source positions of all taps of output position `i`. */
static void widen(const tocha_weigh_args *a, int64_t i, int64_t *low, int64_t *high) {
  for (int64_t k = 0; k < a->count; k++) {
    int64_t at = a->positions[k * a->n + i];
    *low = at < *low ? at : *low;
    *high = at > *high ? at : *high;
  }
}

/* Returns the first output position after `begin` whose taps do not fit into the window. */
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

/* Returns output position `i` of one row. Its taps may be any distance apart. */
static T single(const tocha_weigh_args *a, const T *in, int64_t i) {
  const T *weights = (const T *)a->weights;
  int64_t at = a->first * a->n + i;
  T sum = in[a->positions[at]] * weights[at];
  for (int64_t k = 1; k < a->count; k++) {
    at = tap(a, k) * a->n + i;
    add_tap(in + a->positions[at], weights[at], &sum, 1);
  }
  return sum;
}

/* Writes positions begin..end of out (rows, n) from a window (positions, LANES) whose first
 * position is low. */
static void places(const tocha_weigh_args *a, const T *restrict window, int64_t low, int64_t begin,
                   int64_t end, T *restrict out, int64_t rows) {
  const T *weights = (const T *)a->weights;
  for (int64_t i = begin; i < end; i++) {
    T sum[LANES];
    int64_t at = a->first * a->n + i;
    const T *x = window + (a->positions[at] - low) * LANES;
    for (int r = 0; r < LANES; r++) sum[r] = x[r] * weights[at];
    for (int64_t k = 1; k < a->count; k++) {
      at = tap(a, k) * a->n + i;
      add_tap(window + (a->positions[at] - low) * LANES, weights[at], sum, LANES);
    }
    for (int64_t r = 0; r < rows; r++) out[r * a->n + i] = sum[r];
  }
}

/* Computes up to LANES rows: in (rows, from) to out (rows, n). */
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

/* Computes output row `i`, (inner), as a weighted sum of rows of in (from, inner). */
static void across(const tocha_weigh_args *a, const T *restrict in, T *restrict out, int64_t i) {
  const T *weights = (const T *)a->weights;
  int64_t inner = a->inner, at = a->first * a->n + i;
  const T *x = in + a->positions[at] * inner;
  for (int64_t j = 0; j < inner; j++) out[j] = x[j] * weights[at];
  for (int64_t k = 1; k < a->count; k++) {
    at = tap(a, k) * a->n + i;
    add_tap(in + a->positions[at] * inner, weights[at], out, inner);
  }
}

/* Computes rows begin..end: in (outer, from, inner) to out (outer, n, inner). */
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

/* --- images by corners ------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void blend_line(const tocha_blend_args *a,
                                                             const T *upper, const T *lower, T top,
                                                             T bottom, bool lower_first,
                                                             T *restrict out) {
  const T *columns = a->columns;
  const int64_t n = a->to[1], *at = a->column_at;
  for (int64_t j = 0; j < n; j++) {
    T left = columns[j], right = columns[n + j];
    T ul = upper[at[j]], ur = upper[at[n + j]], ll = lower[at[j]], lr = lower[at[n + j]];
    T sum = lower_first ? FMA(bottom * right, lr, bottom * left * ll)
                        : FMA(top * left, ul, top * right * ur);
    out[j] = lower_first ? FMA(top * left, ul, FMA(top * right, ur, sum))
                         : FMA(bottom * right, lr, FMA(bottom * left, ll, sum));
  }
}

/* Computes lines begin..end: in (planes, from[0], from[1]) to out (planes, to[0], to[1]). */
static void blend(const tocha_blend_args *a, int64_t begin, int64_t end) {
  const T *rows = a->rows;
  int64_t n = a->to[0], in_vectors = a->channels - a->channels % a->lanes;
  for (int64_t line = begin; line < end; line++) {
    int64_t plane = line / n, i = line % n;
    const T *in = (const T *)a->in + plane * a->from[0] * a->from[1];
    const T *upper = in + a->row_at[i] * a->from[1], *lower = in + a->row_at[n + i] * a->from[1];
    T *out = (T *)a->out + line * a->to[1];
    if (plane % a->channels < in_vectors)
      blend_line(a, upper, lower, rows[i], rows[n + i], true, out);
    else
      blend_line(a, upper, lower, rows[i], rows[n + i], false, out);
  }
}

const tocha_weigh_loops TOCHA_LOOPS(weigh) = {weigh, blend};
