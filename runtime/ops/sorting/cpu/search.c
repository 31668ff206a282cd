/* search.c: where values belong in sorted rows, and whether they occur there, by halving. */
#include "ops/sorting/cpu/search.h"

#include "device/devices.h"
#include "tensor/parallel.h"

enum { GRAIN = 4096 }; /* values that are worth a thread */

/* Whether the place of wanted[i] lies behind the element. */
static bool comes_before(const tocha_search_args *a, int64_t element, int64_t i) {
  if (a->real) {
    double x = ((const double *)a->rows)[element], y = ((const double *)a->wanted)[i];
    if (a->found) return x < y;
    return a->right ? !(x > y) : !(x >= y);
  }
  int64_t x = ((const int64_t *)a->rows)[element], y = ((const int64_t *)a->wanted)[i];
  return a->right ? x <= y : x < y;
}

static int64_t place_of(const tocha_search_args *a, int64_t i) {
  int64_t row = a->shared ? 0 : i / a->count * a->length, low = 0, high = a->length;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    int64_t element = row + (a->order ? a->order[row + middle] : middle);
    if (comes_before(a, element, i))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_at(const tocha_search_args *a, int64_t place, int64_t i) {
  if (place == a->length) return false;
  if (a->real) return ((const double *)a->rows)[place] == ((const double *)a->wanted)[i];
  return ((const int64_t *)a->rows)[place] == ((const int64_t *)a->wanted)[i];
}

static void search(void *user, int64_t begin, int64_t end) {
  const tocha_search_args *a = user;
  for (int64_t i = begin; i < end; i++) {
    int64_t place = place_of(a, i);
    if (a->found)
      a->found[i] = is_at(a, place, i) != a->invert;
    else
      a->out[i] = place;
  }
}

bool tocha_cpu_search(tocha_stream *stream, const tocha_search_args *args) {
  return tocha_parallel_for(tocha_stream_context(stream), args->n, GRAIN, search,
                            (void *)(uintptr_t)args);
}
