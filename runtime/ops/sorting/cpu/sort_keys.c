/* sort_keys.c: the loops of sort_keys.h. */
#include "ops/sorting/cpu/sort_keys.h"

#include "ops/sorting/cpu/key.h"
#include "ops/sorting/cpu/sort_entries.h"
#include "tensor/interruptible.h"

enum { STEP = 1 << 16 }; /* elements between two checks of *stop */

static inline __attribute__((always_inline)) void load_entries(const T *x, int64_t stride,
                                                               int64_t n, key flip, bool wide,
                                                               void *entries, tocha_stop stop) {
  tocha_wide_entry *wider = entries;
  tocha_narrow_entry *narrow = entries;
  for (int64_t first = 0; first < n && !tocha_is_set(stop); first += STEP) {
    int64_t end = n - first < STEP ? n : first + STEP;
    for (int64_t i = first; i < end; i++) {
      key k = key_of(x[i * stride]) ^ flip;
      if (wide)
        wider[i] = (tocha_wide_entry){k, i};
      else
        narrow[i] = (tocha_narrow_entry)(uint32_t)k << 32 | (uint64_t)i;
    }
  }
}

static void load(const void *in, int64_t stride, int64_t n, bool descending, bool wide,
                 void *entries, tocha_stop stop) {
  key flip = descending ? (key) ~(key)0 : 0;
  if (wide)
    load_entries(in, stride, n, flip, true, entries, stop);
  else if (stride == 1)
    load_entries(in, 1, n, flip, false, entries, stop);
  else
    load_entries(in, stride, n, flip, false, entries, stop);
}

static int64_t count_numbers(const void *in, int64_t stride, int64_t n, tocha_stop stop) {
  const T *x = in;
  int64_t count = 0;
  for (int64_t first = 0; first < n && !tocha_is_set(stop); first += STEP) {
    int64_t end = n - first < STEP ? n : first + STEP;
    for (int64_t i = first; i < end; i++) count += is_number(x[i * stride]);
  }
  return count;
}

static int64_t find_nan(const void *in, int64_t stride, int64_t n, tocha_stop stop) {
  enum { BLOCK = 4096 };
  const T *x = in;
  for (int64_t first = 0; first < n && !tocha_is_set(stop); first += BLOCK) {
    int64_t count = n - first < BLOCK ? n - first : BLOCK, i = first;
    if (count_numbers(x + first * stride, stride, count, stop) == count) continue;
    while (i < first + count && is_number(x[i * stride])) i++;
    return i;
  }
  return -1;
}

static void gather(const void *from, const int64_t *places, int64_t stride, int64_t n, void *to) {
  const T *x = from;
  T *y = to;
  for (int64_t i = 0; i < n; i++) y[i * stride] = x[places[i] * stride];
}

static void unique(const tocha_unique_args *args, tocha_stop stop) {
  const T *sorted = args->sorted;
  T *values = args->values;
  int64_t count = 0;
  for (int64_t i = 0; i < args->n && (i % STEP || !tocha_is_set(stop)); i++) {
    if (i == 0 || value_of(sorted[i]) != value_of(sorted[i - 1])) {
      values[count] = sorted[i];
      args->starts[count++] = i;
    }
    if (args->inverse) args->inverse[args->order[i]] = count - 1;
  }
  args->starts[count] = args->n;
  *args->count = count;
}

static void range_of(const void *in, int64_t n, void *range, tocha_stop stop) {
  const T *x = in;
  T *ends = range, minimum = x[0], maximum = x[0];
  for (int64_t first = 0; first < n && !tocha_is_set(stop); first += STEP) {
    int64_t end = n - first < STEP ? n : first + STEP;
    for (int64_t i = first; i < end; i++) {
      minimum = x[i] < minimum ? x[i] : minimum;
      maximum = x[i] > maximum ? x[i] : maximum;
    }
  }
  ends[0] = minimum;
  ends[1] = maximum;
}

const tocha_sort_keys_loops TOCHA_LOOPS(sort_keys) = {load,   count_numbers, find_nan,
                                                      gather, unique,        range_of};
