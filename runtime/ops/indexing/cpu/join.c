/* join.c: elements joined where an index sends them, one after the other. */
#include "ops/indexing/cpu/join.h"

#include "core/context.h"
#include "device/devices.h"
#include "tensor/math/rounded.h"
#include "tensor/parallel.h"
#include "tensor/pieces.h"

/* `how` is known where these are inlined. */
static inline __attribute__((always_inline)) double join_reals(const tocha_join_args *j, int how,
                                                               double a, double b) {
  if (how == TOCHA_JOIN_SUM || how == TOCHA_JOIN_PROD)
    return tocha_rounded(how == TOCHA_JOIN_PROD ? a * b : a + b, j->steps);
  double r = how == TOCHA_JOIN_AMAX ? (a > b ? a : b) : (a < b ? a : b); /* b where it is NaN */
  return a != a ? a : r;
}

static inline __attribute__((always_inline)) int64_t join_integers(int how, int64_t a, int64_t b) {
  if (how == TOCHA_JOIN_PROD) return (int64_t)((uint64_t)a * (uint64_t)b);
  if (how == TOCHA_JOIN_AMAX) return a > b ? a : b;
  if (how == TOCHA_JOIN_AMIN) return a < b ? a : b;
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool is_real(const tocha_join_args *j) {
  return tocha_dtype_is_floating((tocha_dtype)j->dtype);
}

typedef struct join_call {
  const tocha_join_args *args;
  const atomic_int *stop;
} join_call;

/* Columns begin..end of one outer index. */
static inline __attribute__((always_inline)) void
join_columns(const join_call *c, int64_t outer, int64_t begin, int64_t end, int how, bool real) {
  const tocha_join_args *j = c->args;
  double *reals = j->out;
  int64_t *integers = j->out;
  for (int64_t row = 0; row < j->m && (row % TOCHA_GRAIN || !tocha_is_set(c->stop)); row++) {
    for (int64_t i = begin; i < end; i++) {
      int64_t from = (outer * j->m + row) * j->inner + i;
      int64_t to = (outer * j->n + j->index[from]) * j->inner + i;
      bool first = j->counts && j->counts[to]++ == 0 && j->fresh;
      if (real) {
        double x = ((const double *)j->src)[from];
        reals[to] = first ? x : join_reals(j, how, reals[to], x);
      } else {
        int64_t x = ((const int64_t *)j->src)[from];
        integers[to] = first ? x : join_integers(how, integers[to], x);
      }
    }
  }
}

static inline __attribute__((always_inline)) void join_by(const join_call *c, int64_t outer,
                                                          int64_t begin, int64_t end, int how) {
  if (is_real(c->args))
    join_columns(c, outer, begin, end, how, true);
  else
    join_columns(c, outer, begin, end, how, false);
}

static void join_some(const join_call *c, int64_t outer, int64_t begin, int64_t end) {
  switch (c->args->how) {
  case TOCHA_JOIN_PROD:
    join_by(c, outer, begin, end, TOCHA_JOIN_PROD);
    break;
  case TOCHA_JOIN_AMAX:
    join_by(c, outer, begin, end, TOCHA_JOIN_AMAX);
    break;
  case TOCHA_JOIN_AMIN:
    join_by(c, outer, begin, end, TOCHA_JOIN_AMIN);
    break;
  default:
    join_by(c, outer, begin, end, TOCHA_JOIN_SUM);
  }
}

static void join_outer(void *user, int64_t begin, int64_t end) {
  const join_call *c = user;
  for (int64_t outer = begin; outer < end; outer++) join_some(c, outer, 0, c->args->inner);
}

static void join_inner(void *user, int64_t begin, int64_t end) { join_some(user, 0, begin, end); }

/* Sums, rounded to their dtype, become means; those of integers are rounded down. */
static void divide_by_counts(const tocha_join_args *j) {
  bool real = is_real(j);
  for (int64_t i = 0; i < j->outer * j->n * j->inner; i++) {
    int64_t n = j->counts[i] + !j->fresh;
    if (n < 2) continue;
    if (real) {
      double *out = (double *)j->out + i;
      *out = tocha_rounded(*out, j->dtype) / (double)n;
    } else {
      int64_t *out = (int64_t *)j->out + i;
      *out = *out / n - (*out % n < 0);
    }
  }
}

/* In parallel over what shares no element of out. */
bool tocha_cpu_join(tocha_stream *stream, const tocha_join_args *j) {
  tocha_context *cx = tocha_stream_context(stream);
  join_call c = {j, &cx->interrupted};
  bool joined =
      j->outer > 1
          ? tocha_parallel_for(cx, j->outer, TOCHA_GRAIN / (4 * j->m * j->inner + 1) + 1,
                               join_outer, &c)
          : tocha_parallel_for(cx, j->inner, TOCHA_GRAIN / (4 * j->m + 1) + 1, join_inner, &c);
  if (joined && j->how == TOCHA_JOIN_MEAN) divide_by_counts(j);
  return joined;
}
