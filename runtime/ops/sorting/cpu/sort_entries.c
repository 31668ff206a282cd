/* sort_entries.c: the loops of sort_entries.h. Few entries are sorted by insertion and merging, many by
 * their bytes, from the lowest on; both keep the order of equal keys. */
#include "ops/sorting/cpu/sort_entries.h"

#include <string.h>

#if defined(TOCHA_LOOPS_int64)
typedef tocha_wide_entry entry;
enum { KEY_BYTES = 8 };
static inline uint64_t key_of(entry e) { return e.key; }
static inline int64_t place_of(entry e) { return e.index; }
#else
typedef tocha_narrow_entry entry;
enum { KEY_BYTES = 4 };
static inline uint64_t key_of(entry e) { return e >> 32; }
static inline int64_t place_of(entry e) { return (int64_t)(e & 0xffffffff); }
#endif

static inline bool before(entry a, entry b) { return key_of(a) < key_of(b); }

enum { RUN = 16, RADIX_LEAST = 512 }; /* entries: sorted by insertion, and from here on by bytes */
enum { STEP = 1 << 18 };              /* entries between two looks at *stop */

static bool is_set(const atomic_int *stop) {
  return atomic_load_explicit(stop, memory_order_relaxed);
}

static void insertion_sort(entry *a, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    entry e = a[i];
    int64_t k = i;
    for (; k > 0 && before(e, a[k - 1]); k--) a[k] = a[k - 1];
    a[k] = e;
  }
}

static void merge(const entry *x, int64_t nx, const entry *y, int64_t ny, entry *to) {
  int64_t i = 0, j = 0;
  while (i < nx && j < ny) {
    bool second = before(y[j], x[i]);
    *to++ = second ? y[j] : x[i];
    j += second;
    i += !second;
  }
  memcpy(to, x + i, (size_t)(nx - i) * sizeof *to);
  memcpy(to + (nx - i), y + j, (size_t)(ny - j) * sizeof *to);
}

static void merge_sort(entry *a, entry *work, int64_t n) {
  entry *source = a, *target = work;
  for (int64_t from = 0; from < n; from += RUN)
    insertion_sort(a + from, n - from < RUN ? n - from : RUN);
  for (int64_t width = RUN; width < n; width *= 2) {
    for (int64_t from = 0; from < n; from += 2 * width) {
      int64_t middle = from + width < n ? from + width : n;
      int64_t end = from + 2 * width < n ? from + 2 * width : n;
      merge(source + from, middle - from, source + middle, end - middle, target + from);
    }
    entry *t = source;
    source = target;
    target = t;
  }
  if (source != a) memcpy(a, source, (size_t)n * sizeof *a);
}

/* Moves entries by one byte of their keys; counts: of each value of it, then where the next one goes. */
static void move_by_byte(const entry *from, entry *to, int64_t n, int byte, int64_t *counts,
                         const atomic_int *stop) {
  int64_t place = 0;
  for (int b = 0; b < 256; b++) {
    int64_t count = counts[b];
    counts[b] = place;
    place += count;
  }
  for (int64_t first = 0; first < n && !is_set(stop); first += STEP) {
    int64_t end = n - first < STEP ? n : first + STEP;
    for (int64_t i = first; i < end; i++) to[counts[key_of(from[i]) >> 8 * byte & 255]++] = from[i];
  }
}

static void radix_sort(entry *a, entry *work, int64_t n, const atomic_int *stop) {
  int64_t counts[KEY_BYTES][256] = {{0}};
  entry *source = a, *target = work;
  for (int64_t i = 0; i < n && (i % STEP || !is_set(stop)); i++)
    for (int b = 0; b < KEY_BYTES; b++) counts[b][key_of(a[i]) >> 8 * b & 255]++;
  for (int b = 0; b < KEY_BYTES && !is_set(stop); b++) {
    if (counts[b][key_of(a[0]) >> 8 * b & 255] == n) continue; /* the same in all */
    move_by_byte(source, target, n, b, counts[b], stop);
    entry *t = source;
    source = target;
    target = t;
  }
  if (source != a && !is_set(stop)) memcpy(a, source, (size_t)n * sizeof *a);
}

static void sort(void *entries, void *work, int64_t n, const atomic_int *stop) {
  if (n < RADIX_LEAST)
    merge_sort(entries, work, n);
  else
    radix_sort(entries, work, n, stop);
}

/* By key, or by key and place. */
static inline bool comes_before(entry a, entry b, bool by_place) {
  return before(a, b) || (by_place && key_of(a) == key_of(b) && place_of(a) < place_of(b));
}

static inline entry median_of(entry x, entry y, entry z, bool by_place) {
  if (comes_before(y, x, by_place)) {
    entry t = x;
    x = y;
    y = t;
  }
  return comes_before(z, x, by_place) ? x : comes_before(z, y, by_place) ? z : y;
}

/* Quickselect. */
static inline __attribute__((always_inline)) void
quickselect(entry *a, int64_t n, int64_t k, bool by_place, const atomic_int *stop) {
  int64_t low = 0, high = n - 1;
  while (low < high && !is_set(stop)) {
    entry pivot = median_of(a[low], a[low + (high - low) / 2], a[high], by_place);
    int64_t i = low, j = high;
    while (i <= j && !is_set(stop)) {
      while (comes_before(a[i], pivot, by_place)) i++;
      while (comes_before(pivot, a[j], by_place)) j--;
      if (i > j) break;
      entry t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
    if (k - 1 <= j)
      high = j;
    else if (k - 1 >= i)
      low = i;
    else
      return;
  }
}

/* Few of many: those found so far stand in order at the front, and what is not before the last of them is passed over. */
static void select_few(entry *a, int64_t n, int64_t k, const atomic_int *stop) {
  insertion_sort(a, k);
  for (int64_t i = k; i < n && (i % STEP || !is_set(stop)); i++) {
    if (!before(a[i], a[k - 1])) continue;
    entry e = a[i];
    int64_t j = k - 1;
    a[i] = a[j];
    for (; j > 0 && before(e, a[j - 1]); j--) a[j] = a[j - 1];
    a[j] = e;
  }
}

static void select(void *entries, int64_t n, int64_t k, const atomic_int *stop) {
  enum { FEW = 16 };
  if (k <= FEW && n >= 4 * k)
    select_few(entries, n, k, stop);
  else
    quickselect(entries, n, k, false, stop);
}

static int64_t select_place(void *entries, int64_t n, int64_t rank, const atomic_int *stop) {
  entry *e = entries;
  quickselect(e, n, rank, true, stop);
  entry found = e[0];
  for (int64_t i = 1; i < rank; i++)
    if (comes_before(found, e[i], true)) found = e[i];
  return place_of(found);
}

static void places(const void *entries, int64_t n, int64_t *to) {
  const entry *e = entries;
  for (int64_t i = 0; i < n; i++) to[i] = place_of(e[i]);
}

static int64_t mode(const void *entries, int64_t n) {
  const entry *e = entries;
  int64_t best = 0, most = 0;
  for (int64_t i = 0, end; i < n; i = end) {
    for (end = i; end < n && key_of(e[end]) == key_of(e[i]);) end++;
    if (end - i <= most) continue;
    most = end - i;
    best = place_of(e[end - 1]);
  }
  return best;
}

const tocha_sort_entries_loops TOCHA_LOOPS(sort_entries) = {sizeof(entry), sort,   select,
                                                            select_place,  places, mode};
