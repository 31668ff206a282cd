/* join_rows.c: the loops of join_rows.h. */
#include "ops/indexing/cpu/join_rows.h"

#include <math.h>

#include "tensor/loops.h"
#include "tensor/math/rounded.h"

#if defined(TOCHA_LOOPS_int64)
enum { REAL = 0 };
#define IS_NAN(x) false
typedef uint64_t wrapping; /* sums and products wrap modulo 2^64 */
static const T SMALLEST = INT64_MIN, LARGEST = INT64_MAX;
#else
enum { REAL = 1 };
#define IS_NAN(x) ((x) != (x))
typedef T wrapping;
static const T SMALLEST = -INFINITY, LARGEST = INFINITY;
#endif
#define NEST static inline __attribute__((always_inline)) void

/* Returns the value that the first element is joined with if out's own value does not count. */
static inline T start_of(int how) {
  return how == TOCHA_JOIN_PROD   ? 1
         : how == TOCHA_JOIN_AMAX ? SMALLEST
         : how == TOCHA_JOIN_AMIN ? LARGEST
                                  : 0;
}

/* Returns a joined with b. `how` and `narrow` (each step is rounded to 16 bits) are constants in the inlined code. */
static inline __attribute__((always_inline)) T joined(const tocha_join_args *j, int how,
                                                      bool narrow, T a, T b) {
  if (how == TOCHA_JOIN_AMAX || how == TOCHA_JOIN_AMIN) {
    T r = (how == TOCHA_JOIN_AMAX ? a > b : a < b) ? a : b; /* b if b is NaN */
    return IS_NAN(a) ? a : r;
  }
  wrapping x = (wrapping)a, y = (wrapping)b;
  T r = (T)(how == TOCHA_JOIN_PROD ? x * y : x + y);
  return narrow ? (T)tocha_rounded((double)r, j->steps) : r;
}

/* Joins columns begin..end of rows of src (m, inner) as a whole, with one index for each row. */
NEST join_whole_rows(const tocha_join_args *j, int64_t outer, int64_t begin, int64_t end, int how,
                     bool narrow, tocha_stop stop) {
  for (int64_t row = 0; row < j->m && !tocha_ends_at(row, stop); row++) {
    T *out = (T *)j->out + (outer * j->n + j->index[row]) * j->inner;
    const T *src = (const T *)j->src + (outer * j->m + row) * j->inner;
    for (int64_t i = begin; i < end; i++) out[i] = joined(j, how, narrow, out[i], src[i]);
  }
}

/* Joins columns begin..end of src (m, inner), with an index for each element. `inner` is a parameter so that it can be the
 * constant 1 for vectors. */
NEST join_elements(const tocha_join_args *j, int64_t outer, int64_t begin, int64_t end,
                   int64_t inner, int how, bool narrow, bool counts, tocha_stop stop) {
  const int64_t m = j->m, place = outer * j->n * inner, *index = j->index + outer * m * inner;
  const T *src = (const T *)j->src + outer * m * inner;
  T *out = (T *)j->out + place;
  int64_t *count = counts ? j->counts + place : NULL;
  for (int64_t row = 0; row < m && !tocha_ends_at(row, stop); row++) {
    for (int64_t i = begin; i < end; i++) {
      int64_t from = row * inner + i, to = index[from] * inner + i;
      if (counts) count[to]++;
      out[to] = joined(j, how, narrow, out[to], src[from]);
    }
  }
}

NEST join_counting(const tocha_join_args *j, int64_t outer, int64_t begin, int64_t end, int how,
                   bool narrow, bool counts, tocha_stop stop) {
  if (j->inner == 1)
    join_elements(j, outer, 0, 1, 1, how, narrow, counts, stop);
  else
    join_elements(j, outer, begin, end, j->inner, how, narrow, counts, stop);
}

NEST join_by(const tocha_join_args *j, int64_t outer, int64_t begin, int64_t end, int how,
             bool narrow, tocha_stop stop) {
  if (j->by_row)
    join_whole_rows(j, outer, begin, end, how, narrow, stop);
  else if (j->counts)
    join_counting(j, outer, begin, end, how, narrow, true, stop);
  else
    join_counting(j, outer, begin, end, how, narrow, false, stop);
}

/* Resets every element that will receive a value (include_self = false). */
static void start(const tocha_join_args *j, int64_t outer, int64_t begin, int64_t end,
                  tocha_stop stop) {
  T *out = j->out;
  const T first = start_of(j->how);
  for (int64_t row = 0; row < j->m && !tocha_ends_at(row, stop); row++)
    for (int64_t i = begin; i < end; i++) {
      int64_t at = j->by_row ? row : (outer * j->m + row) * j->inner + i;
      out[(outer * j->n + j->index[at]) * j->inner + i] = first;
    }
}

static void join(const tocha_join_args *j, int64_t outer, int64_t begin, int64_t end,
                 tocha_stop stop) {
  bool narrow = REAL && (j->steps == TOCHA_FLOAT16 || j->steps == TOCHA_BFLOAT16);
  if (j->fresh) start(j, outer, begin, end, stop);
  if (j->how == TOCHA_JOIN_AMAX)
    join_by(j, outer, begin, end, TOCHA_JOIN_AMAX, false, stop);
  else if (j->how == TOCHA_JOIN_AMIN)
    join_by(j, outer, begin, end, TOCHA_JOIN_AMIN, false, stop);
  else if (narrow)
    join_by(j, outer, begin, end, j->how, true, stop);
  else if (j->how == TOCHA_JOIN_PROD)
    join_by(j, outer, begin, end, TOCHA_JOIN_PROD, false, stop);
  else
    join_by(j, outer, begin, end, TOCHA_JOIN_SUM, false, stop);
}

/* Turns sums, rounded to their dtype, into means; those of integers are rounded down. */
static void mean(const tocha_join_args *j, int64_t begin, int64_t end) {
  T *out = j->out;
  for (int64_t i = begin; i < end; i++) {
    int64_t n = j->counts[j->by_row ? i / j->inner % j->n : i] + !j->fresh;
    if (n < 2) continue;
    if (REAL)
      out[i] = (T)(tocha_rounded((double)out[i], j->dtype) / (double)n);
    else
      out[i] = out[i] / (T)n - (T)((int64_t)out[i] % n < 0);
  }
}

const tocha_join_rows_loops TOCHA_LOOPS(join_rows) = {join, mean};
