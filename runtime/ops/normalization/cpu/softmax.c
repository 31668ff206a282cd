/* softmax.c: the loops of softmax.h.
 *
 * softmax(x)_i = exp(x_i - m) / sum_j exp(x_j - m) with m = max x; log_softmax(x)_i = (x_i - m) - log sum_j exp(x_j - m),
 * subtracted in that order. Sums are taken in 64-byte lanes that are added pairwise at the end, and the backward's last
 * products are fused into them, as in PyTorch's build for AVX-512. A NaN makes its whole row NaN, through the sum. */
#include "ops/normalization/cpu/softmax.h"

#include <string.h>

#include "tensor/math/rounded.h"
#include "tensor/math/scalar_math.h"
#include "tensor/math/typed_math.h"
#include "tensor/interruptible.h"

enum { W = 64 / sizeof(T) }; /* elements in 64 bytes */
typedef T lanes_of_T __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));

typedef T half_lanes __attribute__((vector_size(32)));
typedef T quarter_lanes __attribute__((vector_size(16)));

/* Adds `count` lanes: all lanes of a vector of floats pairwise, the upper half to the lower and so on, others one after the
 * other. */
static T lane_sum(const T *lanes, int64_t count) {
  T sum = lanes[0];
  if (sizeof(T) == sizeof(float) && count == W) {
    half_lanes a, b;
    memcpy(&a, lanes, sizeof a);
    memcpy(&b, lanes + W / 2, sizeof b);
    a += b;
    quarter_lanes c, d;
    memcpy(&c, &a, sizeof c);
    memcpy(&d, (char *)&a + sizeof c, sizeof d);
    c += d;
    return (c[0] + c[2 % (W / 4)]) + (c[1] + c[3 % (W / 4)]);
  }
  for (int64_t k = 1; k < count; k++) sum += lanes[k];
  return sum;
}

/* Evaluates to the vector at x. Vectors are passed by address, because not every instruction set passes such a vector in a
 * register. */
#define LANES_AT(x) (*(const lanes_of_T *)(x))

/* Adds n elements, at most W. They are copied to an array, because a vector whose address is taken, as memcpy does, would stay
 * in memory. */
static T total_of_few(const T *x, int64_t n) {
  T lanes[W] = {0};
  for (int64_t k = 0; k < n; k++) lanes[k] = x[k];
  return lane_sum(lanes, n);
}

static T total(const T *x, int64_t n, tocha_stop stop) {
  T lanes[W];
  if (n < W) return total_of_few(x, n);
  lanes_of_T sum = LANES_AT(x);
  int64_t i = W;
  for (; i + W <= n && !tocha_ends_at(i, stop); i += W) sum += LANES_AT(x + i);
  *(lanes_of_T *)lanes = sum;
  for (int64_t k = 0; k < W && i + k < n; k++) lanes[k] += x[i + k];
  return lane_sum(lanes, W);
}

static T dot(const T *x, const T *y, int64_t n, tocha_stop stop) {
  T lanes[W] = {0};
  int64_t first = n < W ? n : W, i = W;
  for (int64_t k = 0; k < first; k++) lanes[k] = x[k] * y[k];
  for (; i + W <= n && !tocha_ends_at(i, stop); i += W)
    for (int k = 0; k < W; k++) lanes[k] += x[i + k] * y[i + k];
  for (int64_t k = 0; k < W && i + k < n; k++) lanes[k] = FMA(x[i + k], y[i + k], lanes[k]);
  return lane_sum(lanes, first);
}

/* Returns the larger of each two elements of `maximum` and x. */
static inline V larger(V maximum, const T *x) {
  V next;
  memcpy(&next, x, sizeof next);
  return vector_max(next, maximum);
}

#define MAX(a, b) ((b) > (a) ? (b) : (a))

/* Returns the maximum of n >= LANES elements. Long rows use four vectors side by side. The last vector may overlap the one
 * before. */
static T maximum_of_vectors(const T *x, int64_t n) {
  T lanes[LANES];
  V a = larger(WIDE(x[0]), x);
  int64_t i = LANES;
  if (n > 16 * LANES) {
    V b = a, c = a, d = a;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
      a = larger(a, x + i);
      b = larger(b, x + i + LANES);
      c = larger(c, x + i + 2 * LANES);
      d = larger(d, x + i + 3 * LANES);
    }
    a = vector_max(vector_max(a, b), vector_max(c, d));
  }
  for (; i + LANES <= n; i += LANES) a = larger(a, x + i);
  if (i < n) a = larger(a, x + n - LANES);
  memcpy(lanes, &a, sizeof a);
  for (int k = 0; k < LANES / 2; k++) lanes[k] = MAX(lanes[k], lanes[LANES / 2 + k]);
  for (int k = 0; k < LANES / 4; k++) lanes[k] = MAX(lanes[k], lanes[LANES / 4 + k]);
  for (int k = 1; k < LANES / 4; k++) lanes[0] = MAX(lanes[0], lanes[k]);
  return lanes[0];
}

static T maximum_of_piece(const T *x, int64_t n) {
  T best = x[0];
  if (n >= LANES) return maximum_of_vectors(x, n);
  for (int64_t i = 1; i < n; i++) best = MAX(best, x[i]);
  return best;
}

static T maximum(const T *x, int64_t n, tocha_stop stop) {
  T best = x[0];
  TOCHA_PIECES(first, end, n, stop) {
    T next = maximum_of_piece(x + first, end - first);
    best = next > best || first == 0 ? next : best;
  }
  return best;
}

/* Compute a function of n elements; out and in may be the same. */
static void shifted_exp(T *out, const T *in, T m, int64_t n, tocha_stop stop) {
  TOCHA_PIECES(first, end, n, stop) typed_shifted_exp(out + first, in + first, m, end - first);
}

static void each_exp(T *out, const T *in, int64_t n, tocha_stop stop) {
  TOCHA_PIECES(first, end, n, stop) typed_exp(out + first, in + first, end - first);
}

static void round_all(T *x, int64_t n, int dtype) {
  for (int64_t i = 0; i < n; i++) x[i] = (T)tocha_rounded((double)x[i], dtype);
}

/* Computes out = exp(in - m) for rows (rows, n) with maxima m, and their sums. If rows end within a vector, all exponentials
 * are computed together, so that only the last row can leave a vector unfilled. Returns false if stopped. */
static bool exp_of_rows(const T *in, T *out, int64_t rows, int64_t n, tocha_stop stop, T *m,
                        T *sum) {
  bool apart = rows == 1 || n % LANES == 0;
  for (int64_t r = 0; r < rows; r++) m[r] = maximum(in + r * n, n, stop);
  for (int64_t r = 0; r < rows; r++) {
    const T *restrict x = in + r * n, maximum = m[r];
    T *restrict row = out + r * n;
    if (apart)
      shifted_exp(row, x, maximum, n, stop);
    else
      for (int64_t i = 0; i < n; i++) row[i] = x[i] - maximum;
  }
  if (!apart) each_exp(out, out, rows * n, stop);
  for (int64_t r = 0; r < rows; r++) sum[r] = total(out + r * n, n, stop);
  return !tocha_is_set(stop);
}

static void scale(T *row, int64_t n, T factor, tocha_stop stop) {
  int64_t i = 0;
  for (; i + W <= n && !tocha_ends_at(i, stop); i += W) *(lanes_of_T *)(row + i) *= factor;
  for (; i < n && n - i < W; i++) row[i] *= factor;
}

static void subtract_logs(const T *in, T *out, int64_t rows, int64_t n, int rounds, const T *m,
                          T *sum, tocha_stop stop) {
  if (rounds) round_all(sum, rows, rounds);
  typed_log(sum, sum, rows);
  if (rounds) round_all(sum, rows, rounds);
  for (int64_t r = 0; r < rows; r++) {
    const T *restrict x = in + r * n, maximum = m[r], log_sum = sum[r];
    T *restrict row = out + r * n;
    TOCHA_PIECES(first, end, n, stop)
    for (int64_t i = first; i < end; i++) row[i] = x[i] - maximum - log_sum;
  }
}

/* Computes rows (rows, n), a few short ones at a time, so that their waits overlap. */
static void rows(const void *source, void *target, int64_t rows, int64_t n, bool log, int rounds,
                 tocha_stop stop) {
  T m[W], sum[W];
  int64_t together = n <= 8 * W ? W : 1; /* several long rows would not fit in the cache */
  for (int64_t r = 0; r < rows; r += together) {
    const T *in = (const T *)source + r * n;
    T *out = (T *)target + r * n;
    int64_t few = rows - r < together ? rows - r : together;
    if (!exp_of_rows(in, out, few, n, stop, m, sum)) return;
    if (log) subtract_logs(in, out, few, n, rounds, m, sum, stop);
    for (int64_t k = 0; !log && k < few; k++) scale(out + k * n, n, 1 / sum[k], stop);
  }
}

static void rows_backward(const void *upper, const void *result, void *target, int64_t rows,
                          int64_t n, bool log, tocha_stop stop) {
  for (int64_t r = 0; r < rows; r++) {
    const T *restrict grad = (const T *)upper + r * n, *restrict y = (const T *)result + r * n;
    T *restrict out = (T *)target + r * n;
    if (log) {
      T sum = total(grad, n, stop);
      each_exp(out, y, n, stop);
      TOCHA_PIECES(first, end, n, stop)
      for (int64_t i = first; i < end; i++) out[i] = FMA(-out[i], sum, grad[i]);
    } else {
      T sum = dot(grad, y, n, stop);
      TOCHA_PIECES(first, end, n, stop)
      for (int64_t i = first; i < end; i++) out[i] = (grad[i] - sum) * y[i];
    }
  }
}
/* Computes the exponential of columns. Those that fill no vector use the C library, as in PyTorch. */

static void exp_columns(T *out, const T *in, int64_t width) {
  int64_t j = width / (64 / (int64_t)sizeof(T)) * (64 / (int64_t)sizeof(T));
  typed_exp(out, in, j);
  for (; j < width; j++) out[j] = EXP(in[j]);
}

static void columns(const void *source, void *target, int64_t n, int64_t stride, int64_t width,
                    bool log, tocha_stop stop) {
  const T *restrict in = source;
  T *restrict out = target, top[TOCHA_SOFTMAX_COLUMNS], sum[TOCHA_SOFTMAX_COLUMNS];
  for (int64_t j = 0; j < width; j++) {
    top[j] = in[j];
    sum[j] = 0;
  }
  for (int64_t i = 1; i < n && !tocha_is_set(stop); i++)
    for (int64_t j = 0; j < width; j++)
      top[j] = in[i * stride + j] > top[j] ? in[i * stride + j] : top[j];
  for (int64_t i = 0; i < n && !tocha_is_set(stop); i++) {
    T *restrict o = out + i * stride;
    for (int64_t j = 0; j < width; j++) o[j] = in[i * stride + j] - top[j];
    exp_columns(o, o, width);
    for (int64_t j = 0; j < width; j++) sum[j] += o[j];
  }
  if (log) typed_log(sum, sum, width);
  for (int64_t i = 0; i < n && !tocha_is_set(stop); i++) {
    T *restrict o = out + i * stride;
    if (log)
      for (int64_t j = 0; j < width; j++) o[j] = in[i * stride + j] - top[j] - sum[j];
    else
      for (int64_t j = 0; j < width; j++) o[j] /= sum[j];
  }
}

static void columns_backward(const void *upper, const void *result, void *target, int64_t n,
                             int64_t stride, int64_t width, bool log, tocha_stop stop) {
  T sum[TOCHA_SOFTMAX_COLUMNS];
  for (int64_t j = 0; j < width; j++) sum[j] = 0;
  for (int64_t i = 0; i < n && !tocha_is_set(stop); i++) {
    const T *restrict grad = (const T *)upper + i * stride;
    const T *restrict y = (const T *)result + i * stride;
    if (log)
      for (int64_t j = 0; j < width; j++) sum[j] += grad[j];
    else
      for (int64_t j = 0; j < width; j++) sum[j] = FMA(grad[j], y[j], sum[j]);
  }
  for (int64_t i = 0; i < n && !tocha_is_set(stop); i++) {
    const T *restrict grad = (const T *)upper + i * stride;
    const T *restrict y = (const T *)result + i * stride;
    T *restrict out = (T *)target + i * stride;
    if (log) {
      exp_columns(out, y, width);
      for (int64_t j = 0; j < width; j++) out[j] = FMA(-out[j], sum[j], grad[j]);
    } else {
      for (int64_t j = 0; j < width; j++) out[j] = y[j] * (grad[j] - sum[j]);
    }
  }
}

const tocha_softmax_loops TOCHA_LOOPS(softmax) = {rows, rows_backward, columns, columns_backward};
