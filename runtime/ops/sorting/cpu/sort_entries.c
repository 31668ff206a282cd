/* sort_entries.c: the loops of sort_entries.h. Small arrays are sorted by insertion and merging,
 * large ones by the bytes of the keys, from the lowest on. Both are stable. */
#include "ops/sorting/cpu/sort_entries.h"

#include <string.h>

#include "ops/sorting/cpu/entry.h"

static inline bool before(entry a, entry b) { return key_of(a) < key_of(b); }

/* Returns true if a is before b: by key, then by place. */
static inline bool before_in_place(entry a, entry b) {
#if defined(TOCHA_LOOPS_int64)
  return (a.key < b.key) | ((a.key == b.key) & (a.index < b.index));
#else
  return a < b; /* the places are in the lower bits */
#endif
}

enum { RUN = 16, MIN_RADIX = 512 }; /* entries: sorted by insertion; by bytes from here on */
static void insertion_sort(entry *a, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    entry e = a[i];
    int64_t k = i;
    for (; k > 0 && before(e, a[k - 1]); k--) a[k] = a[k - 1];
    a[k] = e;
  }
}

/* Sorts RUN entries: each moves to the index given by its rank, without branches. */
static void rank_sort(entry *a) {
  entry sorted[RUN];
  uint64_t rank[RUN] = {0};
  for (int j = 0; j < RUN; j++)
    for (int i = 0; i < RUN; i++) rank[i] += before_in_place(a[j], a[i]);
  for (int i = 0; i < RUN; i++) sorted[rank[i]] = a[i];
  memcpy(a, sorted, sizeof sorted);
}

/* Takes one step of a merge, without a branch, which would be mispredicted. */
static inline void take(const entry **x, const entry **y, bool second, int64_t step, entry *to) {
  second = __builtin_expect_with_probability(second, 1, 0.5);
  *to = second ? **y : **x;
  *y += second ? step : 0;
  *x += second ? 0 : step;
}

/* Merges two runs from both ends at once, while neither can end. The two ends are independent. */
static void merge(const entry *x, int64_t nx, const entry *y, int64_t ny, entry *to) {
  const entry *last_x = x + nx - 1, *last_y = y + ny - 1;
  entry *end = to + nx + ny;
  for (int64_t both = nx < ny ? nx : ny; both > 0; both--) {
    take(&x, &y, before(*y, *x), 1, to++);
    take(&last_x, &last_y, !before(*last_y, *last_x), -1, --end);
  }
  while (x <= last_x && y <= last_y) take(&x, &y, before(*y, *x), 1, to++);
  while (x <= last_x) *to++ = *x++;
  while (y <= last_y) *to++ = *y++;
}

static void merge_sort(entry *a, entry *work, int64_t n) {
  entry *source = a, *target = work;
  int64_t runs = n / RUN * RUN;
  for (int64_t from = 0; from < runs; from += RUN) rank_sort(a + from);
  insertion_sort(a + runs, n - runs);
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

/* Sorts entries by one byte of their keys. counts: the number of entries for each value of the
 * byte, replaced by the next index. */
static void move_by_byte(const entry *from, entry *to, int64_t n, int byte, int64_t *counts,
                         tocha_stop stop) {
  int64_t place = 0;
  for (int b = 0; b < 256; b++) {
    int64_t count = counts[b];
    counts[b] = place;
    place += count;
  }
  for (int64_t first = 0; first < n && !tocha_is_set(stop); first += STEP) {
    int64_t end = n - first < STEP ? n : first + STEP;
    for (int64_t i = first; i < end; i++) to[counts[key_of(from[i]) >> 8 * byte & 255]++] = from[i];
  }
}

static void radix_sort(entry *a, entry *work, int64_t n, tocha_stop stop) {
  int64_t counts[KEY_BYTES][256] = {{0}};
  entry *source = a, *target = work;
  for (int64_t i = 0; i < n && (i % STEP || !tocha_is_set(stop)); i++)
    for (int b = 0; b < KEY_BYTES; b++) counts[b][key_of(a[i]) >> 8 * b & 255]++;
  for (int b = 0; b < KEY_BYTES && !tocha_is_set(stop); b++) {
    if (counts[b][key_of(a[0]) >> 8 * b & 255] == n) continue; /* all entries have the same byte */
    move_by_byte(source, target, n, b, counts[b], stop);
    entry *t = source;
    source = target;
    target = t;
  }
  for (int64_t first = 0; source != a && first < n && !tocha_is_set(stop); first += STEP)
    memcpy(a + first, source + first, (size_t)(n - first < STEP ? n - first : STEP) * sizeof *a);
}

static void sort(void *entries, void *work, int64_t n, tocha_stop stop) {
  if (n < MIN_RADIX)
    merge_sort(entries, work, n);
  else
    radix_sort(entries, work, n, stop);
}

static void places(const void *entries, int64_t n, int64_t *to) {
  const entry *e = entries;
  for (int64_t i = 0; i < n; i++) to[i] = place_of(e[i]);
}

const tocha_sort_entries_loops TOCHA_LOOPS(sort_entries) = {sizeof(entry), sort, places};
