/* positions.c: the loops of positions.h: the first position of an extreme. */
#include "ops/reduction/cpu/positions.h"

#include "ops/reduction/cpu/lanes.h"

enum { BLOCK = 2048, LOOK = 64 };

ROW S greater(S a, S b) { return a >= b || a != a ? a : b; }
ROW S less(S a, S b) { return a <= b || a != a ? a : b; }
ROW bool beats(bool max, T a, T b) { return max ? a > b : a < b; }

/* Returns the index of the first of n elements that equals `extreme` or is NaN, or n. Searches
 * groups of LOOK elements, then within the group. */
ROW int64_t first_of(T extreme, const T *in, int64_t n) {
  int64_t i = 0;
  for (int found = 0; i + LOOK <= n; i += LOOK) {
    for (int k = 0; k < LOOK; k++) found |= (in[i + k] == extreme) | (in[i + k] != in[i + k]);
    if (found) break;
  }
  while (i < n && in[i] != extreme && in[i] == in[i]) i++;
  return i;
}

/* Returns the position of the first extreme of n elements. Finds each block's extreme first
 * (vectorized), and its position only if it beats the best. */
ROW int64_t find_among(const T *in, int64_t n, bool max, joining join) {
  int64_t best = 0;
  for (int64_t at = 0; at < n; at += BLOCK) {
    int64_t count = n - at < BLOCK ? n - at : BLOCK;
    T extreme = in[at], top = in[best];
    join_row(in + at, count, &extreme, itself, join, true, 0);
    if (TOCHA_IS_NAN(top)) break;
    if (at > 0 && !beats(max, extreme, top) && !TOCHA_IS_NAN(extreme)) continue;
    best = at + first_of(extreme, in + at, count);
  }
  return best;
}

static int64_t find(bool max, const void *in, int64_t n) {
  return max ? find_among(in, n, true, greater) : find_among(in, n, false, less);
}

ROW void step_columns(T *restrict best, int64_t *restrict index, const T *restrict in,
                      int64_t width, int64_t at, bool max) {
  for (int64_t j = 0; j < width; j++) {
    T x = in[j], b = best[j];
    int better = beats(max, x, b) | ((x != x) & (b == b));
    better &= b == b;
    best[j] = better ? x : b;
    index[j] = better ? at : index[j];
  }
}

static void step(bool max, void *best, int64_t *index, const void *in, int64_t width, int64_t at) {
  if (max)
    step_columns(best, index, in, width, at, true);
  else
    step_columns(best, index, in, width, at, false);
}

const tocha_positions_loops TOCHA_LOOPS(positions) = {find, step};
