/* distance.c: the loops of distance.h, in PyTorch's orders of addition. pdist adds in eight lanes
 * (float64: four), the remaining elements to the first of them, then the lanes by halves (float64:
 * one after the other). cdist adds one element after the other. */
#include "ops/reduction/cpu/distance.h"

#include <math.h>
#include <string.h>

#include "ops/reduction/pairs.h"
#include "tensor/loops.h"
#include "tensor/math/scalar_math.h"

/* AT_ONCE: number of distances from one row that cdist adds side by side. PAIRS: the same for
 * pdist. */
enum { LANES = 32 / sizeof(T), AT_ONCE = 8, PAIRS = 4 };

typedef enum norm { COUNT, SUM, SQUARES, POWERS, LARGEST } norm;

static inline T mapped(T x, norm kind, T p) {
  T size = TOCHA_SCALAR_MATH(fabs, x);
  if (kind == SQUARES) return x * x;
  if (kind == POWERS) return TOCHA_SCALAR_MATH2(pow, size, p);
  return kind == SUM || !(size > 0) ? size : 1; /* a count: NaN remains NaN */
}

static inline T finished(T sum, norm kind, double p) {
  if (kind == SQUARES) return TOCHA_SCALAR_MATH(sqrt, sum);
  return kind == POWERS ? (T)pow((double)sum, 1 / p) : sum;
}

static inline T join(T *lanes) {
#ifdef TOCHA_LOOPS_float32
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
#else
  for (int k = 1; k < LANES; k++) lanes[0] += lanes[k];
#endif
  return lanes[0];
}

static inline T sum_of(const T *x, const T *y, int64_t n, norm kind, double p) {
  T lanes[LANES] = {0};
  int64_t i = LANES;
  if (n < LANES) {
    for (i = 0; i < n; i++) lanes[0] += mapped(x[i] - y[i], kind, (T)p);
    return finished(lanes[0], kind, p);
  }
  for (int k = 0; k < LANES; k++) lanes[k] = mapped(x[k] - y[k], kind, (T)p);
  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++) lanes[k] += mapped(x[i + k] - y[i + k], kind, (T)p);
  T rest[2][LANES] = {{0}, {0}}; /* padded with zeros, whose differences are 0 */
  memcpy(rest[0], x + i, (size_t)(n - i) * sizeof *x);
  memcpy(rest[1], y + i, (size_t)(n - i) * sizeof *y);
  for (int k = 0; k < LANES; k++) lanes[k] += mapped(rest[0][k] - rest[1][k], kind, (T)p);
  return finished(join(lanes), kind, p);
}

/* Adds an element that fills no 16-byte vector. PyTorch's plain loop fuses square and sum there
 * into one instruction. */
static inline T rest_added(T sum, T x, norm kind, T p) {
  return kind == SQUARES ? FMA(x, x, sum) : sum + mapped(x, kind, p);
}

/* Writes the distances from x (n) to `count` rows (count, n); count is at most AT_ONCE. */
static inline void sums_of(const T *x, const T *rows, int64_t n, int64_t count, norm kind, double p,
                           T *out) {
  T sums[AT_ONCE] = {0};
  int64_t i = 0, whole = n - n % (16 / (int64_t)sizeof(T));
  if (count == AT_ONCE)
    for (; i < whole; i++)
      for (int k = 0; k < AT_ONCE; k++) sums[k] += mapped(x[i] - rows[k * n + i], kind, (T)p);
  else
    for (; i < whole; i++)
      for (int64_t k = 0; k < count; k++) sums[k] += mapped(x[i] - rows[k * n + i], kind, (T)p);
  for (; i < n; i++)
    for (int64_t k = 0; k < count; k++)
      sums[k] = rest_added(sums[k], x[i] - rows[k * n + i], kind, (T)p);
  for (int64_t k = 0; k < count; k++) out[k] = finished(sums[k], kind, p);
}

/* Returns the maximum of |x - y|. NaN is the maximum, or, without keeps_nan (cdist), is ignored. */
static inline T maximum_of(const T *x, const T *y, int64_t n, bool keeps_nan) {
  T maximum = 0;
  for (int64_t i = 0; i < n; i++) {
    T size = TOCHA_SCALAR_MATH(fabs, x[i] - y[i]);
    maximum = (size > maximum) | (keeps_nan & (size != size)) ? size : maximum;
  }
  return maximum;
}

static T distance(const T *x, const T *y, int64_t n, double p) {
  if (p == 2) return sum_of(x, y, n, SQUARES, p);
  if (p == 1) return sum_of(x, y, n, SUM, p);
  if (p == 0) return sum_of(x, y, n, COUNT, p);
  return isinf(p) ? maximum_of(x, y, n, true) : sum_of(x, y, n, POWERS, p);
}

/* --- pdist by vectors: sum_of, or maximum_of, from x to PAIRS rows or to one ------------------ */

#ifdef TOCHA_LOOPS_float32
typedef int32_t bits;
#else
typedef int64_t bits;
#endif
typedef T vector __attribute__((vector_size(32)));
typedef bits mask __attribute__((vector_size(32)));

static inline vector load(const T *x) {
  vector v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* Loads the first `count` elements of x; the other lanes are 0. At least LANES readable elements
 * must end at x + count. */
static inline vector load_rest(const T *x, int64_t count) {
#if defined(__has_builtin) && __has_builtin(__builtin_shuffle)
  mask from;
  for (int k = 0; k < LANES; k++) from[k] = (bits)(LANES - count + k);
  return __builtin_shuffle(load(x + count - LANES), (vector){0}, from);
#else
  T rest[LANES] = {0};
  memcpy(rest, x, (size_t)count * sizeof *x);
  return load(rest);
#endif
}

static inline vector vector_joined(vector state, vector d, norm kind) {
  if (kind == SQUARES) return state + d * d;
  vector size = (vector)((mask)d & ~(mask)(-(vector){0})); /* clears the sign bit */
  if (kind == SUM) return state + size;
  mask larger = (size > state) | (size != size);
  return (vector)(((mask)size & larger) | ((mask)state & ~larger));
}

static inline T vector_finished(vector state, norm kind) {
  T lanes[LANES];
  memcpy(lanes, &state, sizeof lanes);
  if (kind != LARGEST) return finished(join(lanes), kind, 2);
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) {
      T x = lanes[k + half];
      lanes[k] = ((x > lanes[k]) | (x != x)) ? x : lanes[k];
    }
  return lanes[0];
}

static inline __attribute__((always_inline)) void
vector_distances(const T *x, const T *rows, int64_t n, int count, norm kind, T *out) {
  vector states[PAIRS] = {{0}};
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    vector v = load(x + i);
    for (int r = 0; r < count; r++)
      states[r] = vector_joined(states[r], v - load(rows + r * n + i), kind);
  }
  for (int r = 0; i < n && r < count; r++)
    states[r] = vector_joined(states[r],
                              load_rest(x + i, n - i) - load_rest(rows + r * n + i, n - i), kind);
  for (int r = 0; r < count; r++) out[r] = vector_finished(states[r], kind);
}

/* Writes the distances from x to `count` rows, which is 1 or PAIRS. */
static void row_distances(const T *x, const T *rows, int64_t n, int64_t count, norm kind, T *out) {
  if (count == PAIRS)
    vector_distances(x, rows, n, PAIRS, kind, out);
  else
    vector_distances(x, rows, n, 1, kind, out);
}

static void distances_of_pairs(const T *x, const T *rows, int64_t n, int64_t count, double p,
                               T *out) {
  bool wide = n >= LANES;
  if (wide && p == 2)
    row_distances(x, rows, n, count, SQUARES, out);
  else if (wide && p == 1)
    row_distances(x, rows, n, count, SUM, out);
  else if (wide && isinf(p))
    row_distances(x, rows, n, count, LARGEST, out);
  else
    for (int64_t r = 0; r < count; r++) out[r] = distance(x, rows + r * n, n, p);
}

static void distances(const T *x, const T *rows, int64_t n, int64_t count, double p, T *out) {
  if (p == 2)
    sums_of(x, rows, n, count, SQUARES, p, out);
  else if (p == 1)
    sums_of(x, rows, n, count, SUM, p, out);
  else if (p == 0)
    sums_of(x, rows, n, count, COUNT, p, out);
  else if (!isinf(p))
    sums_of(x, rows, n, count, POWERS, p, out);
  else
    for (int64_t k = 0; k < count; k++) out[k] = maximum_of(x, rows + k * n, n, false);
}

static void find_pairs(const tocha_distance_args *d, int64_t begin, int64_t end) {
  const T *x = d->x1;
  int64_t row, other;
  tocha_pair_of(d->rows, begin, &row, &other);
  for (int64_t i = begin, count; i < end; i += count) {
    count = d->rows - other < PAIRS || end - i < PAIRS ? 1 : PAIRS;
    distances_of_pairs(x + row * d->columns, x + other * d->columns, d->columns, count, d->p,
                       (T *)d->out + i);
    if ((other += count) == d->rows) other = ++row + 1;
  }
}

/* Writes elements begin..end of the distances, (batches, rows, others) or (pairs). */
static void find(const tocha_distance_args *d, int64_t begin, int64_t end) {
  const T *x1 = d->x1, *x2 = d->x2;
  int64_t count;
  if (d->pairs) {
    find_pairs(d, begin, end);
    return;
  }
  for (int64_t i = begin; i < end; i += count) {
    int64_t row = i / d->others, at = i % d->others, other = row / d->rows * d->others + at;
    count = d->others - at < AT_ONCE ? d->others - at : AT_ONCE;
    if (count > end - i) count = end - i;
    distances(x1 + row * d->columns, x2 + other * d->columns, d->columns, count, d->p,
              (T *)d->out + i);
  }
}

/* --- gradients --------------------------------------------------------------------------------------- */

typedef enum slope { SIGN, EUCLIDEAN, BELOW_2, ABOVE_2, MAXIMUM } slope;

/* Returns the sign of x. The sign of NaN is NaN. */
static inline T sign_of(T x) { return x != x ? x : (T)((x > 0) - (x < 0)); }

/* Returns grad times the derivative of a length by the difference d. scale: length^(p - 1). */
static inline __attribute__((always_inline)) T slope_of(slope kind, T d, T grad, T length, T scale,
                                                        T p) {
  T size = TOCHA_SCALAR_MATH(fabs, d);
  if (kind == SIGN) return sign_of(d) * grad;
  if (kind == MAXIMUM) return sign_of(d) * grad * (size - length == 0 ? 1 : 0 * (size - length));
  if (kind == EUCLIDEAN) return grad * d / length;
  if (kind == BELOW_2 && p < 1 && d == 0) return 0;
  if (kind == BELOW_2) return sign_of(d) * TOCHA_SCALAR_MATH2(pow, size, p - 1) * grad / scale;
  return d * (p == 3 ? size : TOCHA_SCALAR_MATH2(pow, size, p - 2)) * grad / scale;
}

static inline __attribute__((always_inline)) void
add_slopes(slope kind, const T *x, const T *y, int64_t n, T grad, T length, T p, T *out) {
  if (length == 0 && kind != SIGN && kind != MAXIMUM) return;
  T scale = kind == BELOW_2 || kind == ABOVE_2 ? TOCHA_SCALAR_MATH2(pow, length, p - 1) : 0;
  if (p == 3)
    for (int64_t k = 0; k < n; k++) out[k] += slope_of(kind, x[k] - y[k], grad, length, scale, 3);
  else
    for (int64_t k = 0; k < n; k++) out[k] += slope_of(kind, x[k] - y[k], grad, length, scale, p);
}

/* Adds the gradients of row `row`, x (columns), to out. x2 (others, columns): the batch's other
 * rows. first: the index of the batch in grad. */
static inline __attribute__((always_inline)) void add_row(const tocha_distance_backward_args *d,
                                                          slope kind, const T *x, const T *x2,
                                                          int64_t first, int64_t row, T *out) {
  const T *grads = d->grad, *norms = d->norms;
  for (int64_t j = 0; j < d->others; j++) {
    if (d->pairs && j == row) continue;
    int64_t at = first + row * d->row_step + j * d->other_step;
    if (d->pairs)
      at = j < row ? tocha_first_pair(d->rows, j) + row - j - 1
                   : tocha_first_pair(d->rows, row) + j - row - 1;
    add_slopes(kind, x, x2 + j * d->columns, d->columns, grads[at], norms[at], (T)d->p, out);
  }
}

/* Writes the gradients of rows begin..end of out (batches, rows, columns). */
static void backward(const tocha_distance_backward_args *d, int64_t begin, int64_t end,
                     tocha_stop stop) {
  for (int64_t i = begin; i < end && !tocha_is_set(stop); i++) {
    int64_t batch = i / d->rows, row = i % d->rows, first = batch * d->rows * d->others;
    const T *x = (const T *)d->x1 + i * d->columns;
    const T *x2 = (const T *)d->x2 + batch * d->others * d->columns;
    T *out = (T *)d->out + i * d->columns;
    for (int64_t k = 0; k < d->columns; k++) out[k] = 0;
    if (d->p == 1)
      add_row(d, SIGN, x, x2, first, row, out);
    else if (d->p == 2)
      add_row(d, EUCLIDEAN, x, x2, first, row, out);
    else if (isinf(d->p))
      add_row(d, MAXIMUM, x, x2, first, row, out);
    else if (d->p < 2)
      add_row(d, BELOW_2, x, x2, first, row, out);
    else
      add_row(d, ABOVE_2, x, x2, first, row, out);
  }
}

const tocha_distance_loops TOCHA_LOOPS(distance) = {find, backward};
