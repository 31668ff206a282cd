/* attention.c: the loops of attention.h. */
#include "ops/attention/cpu/attention.h"

#include <math.h>
#include <string.h>

#include "tensor/math/rounded.h"
#include "tensor/math/scalar_math.h"
#include "tensor/math/typed_math.h"

enum { W = 64 / sizeof(T) }; /* lanes of sums */

static inline int64_t seen(const tocha_scores *s, int64_t row) {
  int64_t n = s->visible + row;
  return n < 0 ? 0 : n < s->columns ? n : s->columns;
}

static void add_mask(const tocha_scores *s, int64_t row, T *scores, int64_t n) {
  if (!s->mask) return;
  const T *mask = (const T *)s->mask + row * s->mask_row;
  if (s->mask_column == 1)
    for (int64_t j = 0; j < n; j++) scores[j] += mask[j];
  else
    for (int64_t j = 0; j < n; j++) scores[j] += mask[j * s->mask_column];
}

/* A NaN may be overlooked: the sum shows it. */
static T greatest_of(const T *x, int64_t n, T best) {
  T lanes[W];
  int64_t i = 0;
  for (int k = 0; k < W; k++) lanes[k] = best;
  for (; i + W <= n; i += W)
    for (int k = 0; k < W; k++) lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
  for (int k = 0; i + k < n; k++) lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
  for (int k = 0; k < W; k++) best = lanes[k] > best ? lanes[k] : best;
  return best;
}

static T sum_of(T *lanes) {
  for (int half = W / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) lanes[k] += lanes[k + half];
  return lanes[0];
}

static T total(const T *x, int64_t n) {
  T lanes[W] = {0};
  int64_t i = 0;
  for (; i + W <= n; i += W)
    for (int k = 0; k < W; k++) lanes[k] += x[i + k];
  for (int k = 0; i + k < n; k++) lanes[k] += x[i + k];
  return sum_of(lanes);
}

static T dot(const T *x, const T *y, int64_t n) {
  T lanes[W] = {0};
  int64_t i = 0;
  for (; i + W <= n; i += W)
    for (int k = 0; k < W; k++) lanes[k] += x[i + k] * y[i + k];
  for (int k = 0; i + k < n; k++) lanes[k] += x[i + k] * y[i + k];
  return sum_of(lanes);
}

static void round_all(void *all, int64_t n, int dtype) {
  T *x = all;
  for (int64_t i = 0; dtype && i < n; i++) x[i] = (T)tocha_rounded((double)x[i], dtype);
}

static void begin(const tocha_running *r) {
  T *greatest = r->greatest, *sum = r->sum;
  for (int64_t i = 0; i < r->rows; i++) {
    greatest[i] = -INFINITY;
    sum[i] = 0;
  }
  memset(r->out, 0, (size_t)(r->rows * r->width) * sizeof(T));
}

static void add(const tocha_scores *s, const tocha_running *r) {
  T *greatest = r->greatest, *sum = r->sum;
  for (int64_t i = 0; i < s->rows; i++) {
    T *scores = (T *)s->scores + i * s->columns, *out = (T *)r->out + i * r->width;
    int64_t n = seen(s, i);
    add_mask(s, i, scores, n);
    T best = greatest_of(scores, n, greatest[i]);
    if (best == -INFINITY && total(scores, n) == -INFINITY) n = 0; /* nothing is seen, no NaN */
    memset(scores + n, 0, (size_t)(s->columns - n) * sizeof(T));
    if (n == 0) continue;
    typed_shifted_exp(scores, scores, best, n);
    T factor = (T)exp((double)(greatest[i] - best));
    sum[i] = sum[i] * factor + total(scores, n);
    round_all(scores, n, s->rounds);
    if (best > greatest[i])
      for (int64_t j = 0; j < r->width; j++) out[j] *= factor;
    greatest[i] = best;
  }
}

static void finish(const tocha_running *r, void *target, int64_t target_row, void *logsumexp) {
  const T *greatest = r->greatest, *sum = r->sum;
  for (int64_t i = 0; i < r->rows; i++) {
    const T *out = (const T *)r->out + i * r->width;
    T *to = (T *)target + i * target_row, scale = sum[i] == 0 ? 1 : 1 / sum[i];
    for (int64_t j = 0; j < r->width; j++) to[j] = out[j] * scale;
    ((T *)logsumexp)[i] = sum[i] == 0 ? 0 : greatest[i] + (T)log((double)sum[i]);
  }
}

static void means(const void *a, int64_t a_row, const void *b, int64_t b_row, int64_t rows,
                  int64_t width, void *result) {
  for (int64_t i = 0; i < rows; i++)
    ((T *)result)[i] = dot((const T *)a + i * a_row, (const T *)b + i * b_row, width);
}

static void slopes(const tocha_scores *s, void *arrived, const void *logsumexp, const void *mean,
                   double scale) {
  for (int64_t i = 0; i < s->rows; i++) {
    T *scores = (T *)s->scores + i * s->columns, *slope = (T *)arrived + i * s->columns;
    T average = ((const T *)mean)[i], factor = (T)scale;
    int64_t n = seen(s, i), rest = s->columns - n;
    add_mask(s, i, scores, n);
    typed_shifted_exp(scores, scores, ((const T *)logsumexp)[i], n);
    for (int64_t j = 0; j < n; j++) slope[j] = scores[j] * (slope[j] - average) * factor;
    round_all(scores, n, s->rounds);
    round_all(slope, n, s->rounds);
    memset(scores + n, 0, (size_t)rest * sizeof(T));
    memset(slope + n, 0, (size_t)rest * sizeof(T));
  }
}

const tocha_attention_loops TOCHA_LOOPS(attention) = {begin, add, finish, means, slopes, round_all};
