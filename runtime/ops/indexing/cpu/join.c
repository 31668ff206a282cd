/* join.c: elements joined where an index sends them, one after the other. */
#include "ops/indexing/cpu/join.h"

#include "core/context.h"
#include "device/devices.h"
#include "tensor/math/rounded.h"
#include "tensor/parallel.h"

static double join_reals(const tocha_join_args *j, double a, double b) {
  double r = j->how == TOCHA_JOIN_PROD ? a * b : a + b;
  if (j->how == TOCHA_JOIN_AMAX) r = a != a || a > b ? a : b;
  if (j->how == TOCHA_JOIN_AMIN) r = a != a || a < b ? a : b;
  return tocha_rounded(r, j->steps);
}

static int64_t join_integers(const tocha_join_args *j, int64_t a, int64_t b) {
  if (j->how == TOCHA_JOIN_PROD) return (int64_t)((uint64_t)a * (uint64_t)b);
  if (j->how == TOCHA_JOIN_AMAX) return a > b ? a : b;
  if (j->how == TOCHA_JOIN_AMIN) return a < b ? a : b;
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void join_one(const tocha_join_args *j, int64_t to, int64_t from) {
  bool first = j->counts[to]++ == 0 && j->fresh;
  if (tocha_dtype_is_floating((tocha_dtype)j->dtype)) {
    double *out = (double *)j->out + to, x = ((const double *)j->src)[from];
    *out = first ? x : join_reals(j, *out, x);
  } else {
    int64_t *out = (int64_t *)j->out + to, x = ((const int64_t *)j->src)[from];
    *out = first ? x : join_integers(j, *out, x);
  }
}

/* Sums, rounded to their dtype, become means; those of integers are rounded down. */
static void divide_by_counts(const tocha_join_args *j) {
  for (int64_t i = 0; i < j->outer * j->n * j->inner; i++) {
    int64_t n = j->counts[i] + !j->fresh;
    if (n < 2) continue;
    if (tocha_dtype_is_floating((tocha_dtype)j->dtype)) {
      double *out = (double *)j->out + i;
      *out = tocha_rounded(*out, j->dtype) / (double)n;
    } else {
      int64_t *out = (int64_t *)j->out + i;
      *out = *out / n - (*out % n < 0);
    }
  }
}

bool tocha_cpu_join(tocha_stream *stream, const tocha_join_args *j) {
  tocha_context *cx = tocha_stream_context(stream);
  int64_t from = 0;
  for (int64_t row = 0; row < j->outer * j->m; row++) {
    if (row % TOCHA_GRAIN == 0 && tocha_interrupted(cx)) return false;
    int64_t base = row / j->m * j->n;
    for (int64_t i = 0; i < j->inner; i++, from++)
      join_one(j, (base + j->index[from]) * j->inner + i, from);
  }
  if (j->how == TOCHA_JOIN_MEAN) divide_by_counts(j);
  return true;
}
