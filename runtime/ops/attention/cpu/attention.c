/* attention.c: the loops of attention.h. */
#include "ops/attention/cpu/attention.h"

#include <math.h>
#include <string.h>

#include "tensor/math/rounded.h"
#include "tensor/math/scalar_math.h"
#include "tensor/math/typed_math.h"

enum { W = 64 / sizeof(T) }; /* lanes of the sums */

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

/* Returns the maximum of `best` and n elements of x. A NaN may be overlooked; the sum becomes NaN then. */
static T maximum_of(const T *x, int64_t n, T best) {
  T lanes[W];
  int64_t i = 0;
  for (int k = 0; k < W; k++) lanes[k] = best;
  for (; i + W <= n; i += W)
    for (int k = 0; k < W; k++) lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
  for (int k = 0; i + k < n; k++) lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
  for (int k = 0; k < W; k++) best = lanes[k] > best ? lanes[k] : best;
  return best;
}

/* --- e^x --------------------------------------------------------------------------------------------------- */

/* In the forward pass, PyTorch's attention of float32 computes e^x of whole vectors by a polynomial, and of 16-bit types by a
 * coarser one. */
#if defined(TOCHA_LOOPS_float32) && defined(__AVX512F__)
enum { VECTOR = 16 };
#elif defined(TOCHA_LOOPS_float32) && defined(__AVX2__)
enum { VECTOR = 8 };
#else
enum { VECTOR = 1 };
#endif

#if defined(TOCHA_LOOPS_float32) && (defined(__AVX512F__) || defined(__AVX2__))

/* LOG2_E: log2(e). SMALLEST, LARGEST: the logarithms of the smallest normal number and of the largest number. */
static const T LOG2_E = 0x1.715476p+0F, SMALLEST = -0x1.5d58ap+6F, LARGEST = 0x1.62e43p+6F;

static inline T within_range(T x) { return x > SMALLEST ? (x < LARGEST ? x : LARGEST) : SMALLEST; }

/* Returns `power`, the value inside the range, but 0 below the range, and NaN for NaN. */
static inline T beyond_range(T x, T power) { return x >= SMALLEST ? power : x < SMALLEST ? 0 : x; }

static inline T of_bits(int32_t bits) {
  T x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Returns e^x as 2^n times a polynomial of the rest. */
static inline T fine_exp(T x) {
  T inside = within_range(x), n = floorf(FMA(inside, LOG2_E, (T)0.5));
  T r = FMA(-n, 0x1.62e43p-1F, inside);
  T p = FMA(r, 0.00828929059F, 0.0418978221F);
  p = FMA(r, FMA(r, FMA(r, p, 0.166676521F), 0.499991506F), 0.999999701F);
  p = FMA(r, p, 1) * of_bits(((int32_t)n + 126) * (1 << 23)) * 2;
  return beyond_range(x, p);
}

/* Returns e^x, coarsely: the bits of 2^y, y = x log2(e), are nearly y + 127 with 23 fraction bits (Malossi et al., Fast
 * exponential computation on SIMD architectures, 2015). */
static inline T coarse_exp(T x) {
  T y = within_range(x) * LOG2_E, f = y - floorf(y);
  T p = FMA(f, FMA(f, FMA(f, -0.079204240219773236F, -0.22433836478672356F), 0.30354260500649682F),
            0.00010703434948458272F);
  T bits = FMA((T)8388608, y - p, (T)1065353216);
  return beyond_range(x, of_bits((int32_t)bits));
}

/* Replaces n numbers by e^(x - maximum). The first `whole` fill vectors. */
static void shifted_exp(T *x, T maximum, int64_t n, int64_t whole, bool coarse) {
  int64_t fast = n < whole ? n : whole;
  if (coarse)
    for (int64_t i = 0; i < fast; i++) x[i] = coarse_exp(x[i] - maximum);
  else
    for (int64_t i = 0; i < fast; i++) x[i] = fine_exp(x[i] - maximum);
  for (int64_t i = fast; i < n; i++) x[i] = expf(x[i] - maximum);
}

#else

static void shifted_exp(T *x, T maximum, int64_t n, int64_t whole, bool coarse) {
  (void)whole, (void)coarse;
  typed_shifted_exp(x, x, maximum, n);
}

#endif

/* --- sums -------------------------------------------------------------------------------------------------- */

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

/* Returns the sum of n numbers: first of the `whole` that fill vectors, by lanes, then of the others. */
static T total_of_vectors(const T *x, int64_t n, int64_t whole) {
  T sum = total(x, whole);
  for (int64_t i = whole; i < n; i++) sum += x[i];
  return sum;
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
  T *maximum = r->maximum, *sum = r->sum;
  for (int64_t i = 0; i < r->rows; i++) {
    maximum[i] = -INFINITY;
    sum[i] = 0;
  }
  memset(r->out, 0, (size_t)(r->rows * r->width) * sizeof(T));
}

static void add(const tocha_scores *s, const tocha_running *r) {
  T *maximum = r->maximum, *sum = r->sum;
  const int64_t whole = s->columns - s->columns % VECTOR;
  for (int64_t i = 0; i < s->rows; i++) {
    T *scores = (T *)s->scores + i * s->columns, *out = (T *)r->out + i * r->width;
    int64_t n = seen(s, i);
    add_mask(s, i, scores, n);
    T best = maximum_of(scores, n, maximum[i]);
    /* no visible score, and no NaN */
    if (best == -INFINITY && total(scores, n) == -INFINITY) n = 0;
    memset(scores + n, 0, (size_t)(s->columns - n) * sizeof(T));
    if (n == 0) continue;
    shifted_exp(scores, best, n, whole, s->rounds);
    T factor = (T)exp((double)(maximum[i] - best));
    sum[i] = sum[i] * factor + total_of_vectors(scores, s->columns, whole);
    round_all(scores, n, s->rounds);
    if (best > maximum[i])
      for (int64_t j = 0; j < r->width; j++) out[j] *= factor;
    maximum[i] = best;
  }
}

static void finish(const tocha_running *r, void *target, int64_t target_row, void *logsumexp) {
  const T *maximum = r->maximum, *sum = r->sum;
  for (int64_t i = 0; i < r->rows; i++) {
    const T *out = (const T *)r->out + i * r->width;
    T *to = (T *)target + i * target_row, scale = sum[i] == 0 ? 1 : 1 / sum[i];
    for (int64_t j = 0; j < r->width; j++) to[j] = out[j] * scale;
    ((T *)logsumexp)[i] = sum[i] == 0 ? 0 : maximum[i] + (T)log((double)sum[i]);
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
