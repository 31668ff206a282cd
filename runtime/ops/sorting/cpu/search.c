/* search.c: binary search in sorted rows, for the places of values, or to test if they occur. */
#include "ops/sorting/cpu/search.h"

#include "device/devices.h"
#include "tensor/parallel.h"

enum { GRAIN = 4096 }; /* values that justify a thread */
enum { LANES = 8 }; /* values that are searched side by side, because their steps are independent */

/* The condition for an element x to be before the place of y. */
typedef enum order { LESS, NOT_AT_LEAST, NOT_GREATER } order;

/* Returns true if the place of `wanted` is after x. `o` is a constant after inlining. */
static inline __attribute__((always_inline)) bool real_before(double x, double wanted, order o) {
  return o == LESS ? x < wanted : o == NOT_GREATER ? !(x > wanted) : !(x >= wanted);
}

static inline __attribute__((always_inline)) bool integer_before(int64_t x, int64_t wanted,
                                                                 order o) {
  return o == NOT_GREATER ? x <= wanted : x < wanted;
}

/* Finds the places of wanted[i..i + lanes]. No branch depends on the elements, because it would be
 * mispredicted. The steps are those of PyTorch's search, which matters in rows that are not sorted.
 * A search whose range is empty keeps its place. */
static inline __attribute__((always_inline)) void
find_places(const tocha_search_args *a, int64_t i, int lanes, bool real, order o, int64_t *places) {
  const double *reals = a->rows, *wanted_reals = (const double *)a->wanted + i;
  const int64_t *integers = a->rows, *wanted = (const int64_t *)a->wanted + i, *by = a->order;
  int64_t row[LANES], count[LANES], last = a->length - 1;
  for (int k = 0; k < lanes; k++) {
    row[k] = a->shared ? 0 : (i + k) / a->count * a->length;
    places[k] = 0;
    count[k] = a->length;
  }
  for (int64_t range = a->length; range > 0; range /= 2) {
    for (int k = 0; k < lanes; k++) {
      int64_t half = count[k] / 2, middle = places[k] + half;
      int64_t element = row[k] + (middle < last ? middle : last);
      if (by) element = row[k] + by[element];
      bool before = real ? real_before(reals[element], wanted_reals[k], o)
                         : integer_before(integers[element], wanted[k], o);
      before &= count[k] > 0;
      places[k] += (half + 1) & -(int64_t)before;
      count[k] = before ? count[k] - half - 1 : half;
    }
  }
}

static bool is_at(const tocha_search_args *a, int64_t place, int64_t i) {
  if (place == a->length) return false;
  if (a->real) return ((const double *)a->rows)[place] == ((const double *)a->wanted)[i];
  return ((const int64_t *)a->rows)[place] == ((const int64_t *)a->wanted)[i];
}

static inline __attribute__((always_inline)) void
search_range(const tocha_search_args *a, int64_t begin, int64_t end, bool real, order o) {
  int64_t places[LANES];
  for (int64_t i = begin; i < end; i += LANES) {
    int lanes = end - i < LANES ? (int)(end - i) : LANES;
    if (lanes == LANES)
      find_places(a, i, LANES, real, o, places);
    else
      find_places(a, i, lanes, real, o, places);
    for (int k = 0; k < lanes; k++)
      if (a->found)
        a->found[i + k] = is_at(a, places[k], i + k) != a->invert;
      else
        a->out[i + k] = places[k];
  }
}

static void search(void *user, int64_t begin, int64_t end) {
  const tocha_search_args *a = user;
  bool right = a->right && !a->found;
  if (!a->real && right)
    search_range(a, begin, end, false, NOT_GREATER);
  else if (!a->real)
    search_range(a, begin, end, false, LESS);
  else if (right)
    search_range(a, begin, end, true, NOT_GREATER);
  else
    search_range(a, begin, end, true, a->found ? LESS : NOT_AT_LEAST);
}

bool tocha_cpu_search(tocha_stream *stream, const tocha_search_args *args) {
  return tocha_parallel_for(tocha_stream_context(stream), args->n, GRAIN, search,
                            (void *)(uintptr_t)args);
}
