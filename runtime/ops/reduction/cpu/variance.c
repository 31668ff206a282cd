/* variance.c: variances, in float64 and in two passes over parts that stay in the cache. */
#include <math.h>

#include "ops/reduction/cpu/deviations.h"
#include "ops/reduction/cpu/planes.h"
#include "ops/reduction/cpu/reduction.h"
#include "ops/reduction/reduce.h"
#include "tensor/parallel.h"

enum { PART = 1 << 14 }; /* elements of one part of a long row */

typedef struct call {
  const tocha_reduce_args *args;
  const tocha_deviations_loops *loops;
  bool doubles;  /* elements are float64 */
  bool full;     /* a single row of all elements, and no mean is requested */
  double center; /* the row's mean, if it was computed before */
  double *variances, *means;
  tocha_moments *parts;
} call;

static const void *element(const call *c, int64_t i) {
  return (const char *)c->args->in + i * (c->doubles ? 8 : 4);
}

static tocha_moments moments_of(const call *c, int64_t first, int64_t n) {
  const void *in = element(c, first);
  double mean = c->loops->sum(in, n, 0, false) / (double)n;
  return (tocha_moments){(double)n, mean, c->loops->sum(in, n, mean, true)};
}

/* Joins the moments of two parts: Chan, Golub and LeVeque, "Updating formulae and a pairwise
 * algorithm" (1979). */
static tocha_moments joined(tocha_moments a, tocha_moments b) {
  double delta = b.mean - a.mean, count = a.count + b.count;
  return (tocha_moments){count, a.mean + delta * b.count / count,
                         a.squares + b.squares + delta * delta * a.count * b.count / count};
}

/* Returns the moments of n float64 elements, added one after the other (Welford, 1962), or around
 * the known mean for a full reduction. PyTorch has the same orders, and they affect the last
 * digits. */
static tocha_moments in_sequence(const call *c, int64_t first, int64_t n) {
  const double *in = element(c, first);
  tocha_moments m = {(double)n, 0, 0};
  if (c->full) {
    m.mean = c->center;
    for (int64_t i = 0; i < n; i++) m.squares += (in[i] - m.mean) * (in[i] - m.mean);
    return m;
  }
  for (int64_t i = 0; i < n; i++) {
    double delta = in[i] - m.mean;
    m.mean += delta / (double)(i + 1);
    m.squares += delta * (in[i] - m.mean);
  }
  return m;
}

/* Returns PyTorch's running mean (Welford, 1962): NaN after an infinite element. */
static double running_mean(const call *c, int64_t row, double mean) {
  int64_t n = c->args->count;
  if (!isinf(mean) || c->doubles) return mean;
  const float *in = element(c, row * n);
  for (int64_t i = 0; i < n - 1; i++)
    if (isinf(in[i])) return NAN;
  return mean;
}

static void finish(const call *c, int64_t row, tocha_moments m) {
  double left = (double)c->args->count - c->args->number;
  double variance = m.squares / (left > 0 ? left : 0);
  c->variances[row] = c->args->reduction->finish == TOCHA_FINISH_ROOT ? sqrt(variance) : variance;
  c->means[row] = running_mean(c, row, m.mean);
}

/* Writes the variances and means of rows begin..end of in (outputs, count). */
static void run_rows(void *user, int64_t begin, int64_t end) {
  const call *c = user;
  int64_t n = c->args->count;
  for (int64_t row = begin; row < end; row++) {
    tocha_moments m = {0, NAN, NAN};
    if (n > 0 && c->doubles && (!c->full || n < PART)) {
      m = in_sequence(c, row * n, n);
    } else if (n > 0) {
      m = moments_of(c, row * n, n < PART ? n : PART);
      for (int64_t at = PART; at < n; at += PART)
        m = joined(m, moments_of(c, row * n + at, n - at < PART ? n - at : PART));
    }
    finish(c, row, m);
  }
}

static void run_parts(void *user, int64_t begin, int64_t end) {
  const call *c = user;
  for (int64_t i = begin; i < end; i++) {
    int64_t at = i * PART, left = c->args->count - at;
    c->parts[i] = moments_of(c, at, left < PART ? left : PART);
  }
}

static bool is_full(const tocha_reduce_args *args) {
  for (int i = 0; i < args->ndim; i++)
    if (!(args->reduced >> i & 1)) return false;
  return !args->second;
}

int64_t tocha_cpu_variance_parts(const tocha_reduce_args *args) {
  bool ordered = args->compute == TOCHA_FLOAT64 && !is_full(args);
  if (args->outputs != 1 || args->count < PART || ordered) return 0;
  return (args->count + PART - 1) / PART;
}

/* Finds the center of a short full row. The elements are added in the order of `mean`. */
static bool find_center(tocha_context *cx, call *c) {
  const struct tocha_reduce_loops *sum = tocha_reduction_sum.loops[cx->isa][TOCHA_FLOAT64];
  if (!tocha_reduce_planes(cx, c->args, sum, &c->center, sizeof c->center)) return false;
  c->center /= (double)c->args->count;
  return true;
}

bool tocha_cpu_variance(tocha_context *cx, const tocha_reduce_args *args, double *variances,
                        double *means, tocha_moments *parts) {
  call c = {.args = args,
            .loops = tocha_deviations_loops_table[cx->isa][args->compute],
            .doubles = args->compute == TOCHA_FLOAT64,
            .full = is_full(args),
            .variances = variances,
            .means = means,
            .parts = parts};
  int64_t count = tocha_cpu_variance_parts(args);
  if (count) { /* a long row, its parts on several threads */
    if (!tocha_parallel_for(cx, count, 4, run_parts, &c)) return false;
    tocha_moments m = parts[0];
    for (int64_t i = 1; i < count; i++) m = joined(m, parts[i]);
    finish(&c, 0, m);
    return true;
  }
  if (c.doubles && c.full && args->count > 0 && !find_center(cx, &c)) return false;
  return tocha_parallel_for(cx, args->outputs, TOCHA_GRAIN / (2 * args->count + 1) + 1, run_rows,
                            &c);
}
