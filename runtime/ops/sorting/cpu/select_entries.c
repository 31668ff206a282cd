/* select_entries.c: the loops of select_entries.h. The steps of each algorithm decide which of
 * several equal entries is found, and in which order. They are PyTorch's: topk and mode call the
 * C++ library (std::partial_sort, nth_element and sort, in libstdc++'s version), kthvalue a
 * quickselect of its own. */
#include "ops/sorting/cpu/select_entries.h"

#include <string.h>

#include "ops/sorting/cpu/entry.h"

static inline bool has_maximum_key(entry e) {
  return key_of(e) == UINT64_MAX >> (64 - 8 * KEY_BYTES);
}

/* The order of entries: by key; or by key, with the maximum key for NaN, which is unordered. */
typedef enum rule { BY_KEY, UNORDERED_NANS } rule;

static inline bool before(entry a, entry b, rule by) {
  return key_of(a) < key_of(b) && !(by == UNORDERED_NANS && has_maximum_key(b));
}

static inline void swap(entry *a, int64_t i, int64_t j) {
  entry e = a[i];
  a[i] = a[j];
  a[j] = e;
}

/* --- a heap with its maximum at the front ---------------------------------------------------- */

/* Moves the hole down to the end of the heap, and e up from there. */
static void adjust_heap(entry *a, int64_t hole, int64_t n, entry e, rule by) {
  const int64_t top = hole;
  int64_t child = hole;
  while (child < (n - 1) / 2) {
    child = 2 * (child + 1);
    if (before(a[child], a[child - 1], by)) child--;
    a[hole] = a[child];
    hole = child;
  }
  if (n % 2 == 0 && child == (n - 2) / 2) {
    a[hole] = a[2 * child + 1];
    hole = 2 * child + 1;
  }
  for (; hole > top && before(a[(hole - 1) / 2], e, by); hole = (hole - 1) / 2)
    a[hole] = a[(hole - 1) / 2];
  a[hole] = e;
}

/* Moves the first k entries of the order to the front, as a heap. */
static void select_heap(entry *a, int64_t n, int64_t k, rule by, tocha_stop stop) {
  for (int64_t parent = (k - 2) / 2; k > 1 && parent >= 0 && !is_time(parent, stop); parent--)
    adjust_heap(a, parent, k, a[parent], by);
  for (int64_t i = k; i < n && !is_time(i, stop); i++) {
    if (!before(a[i], a[0], by)) continue;
    entry e = a[i];
    a[i] = a[0];
    adjust_heap(a, 0, k, e, by);
  }
}

static void sort_heap(entry *a, int64_t n, rule by, tocha_stop stop) {
  while (n-- > 1 && !is_time(n, stop)) {
    entry e = a[n];
    a[n] = a[0];
    adjust_heap(a, 0, n, e, by);
  }
}

static void heap_sort(entry *a, int64_t n, rule by, tocha_stop stop) {
  select_heap(a, n, n, by, stop);
  sort_heap(a, n, by, stop);
}

/* --- partitions ------------------------------------------------------------------------------ */

/* Moves the median of three entries to the front. */
static void pivot_to_front(entry *a, int64_t front, int64_t x, int64_t y, int64_t z, rule by) {
  int64_t median;
  if (before(a[x], a[y], by))
    median = before(a[y], a[z], by) ? y : before(a[x], a[z], by) ? z : x;
  else
    median = before(a[x], a[z], by) ? x : before(a[y], a[z], by) ? z : y;
  swap(a, front, median);
}

/* A partition swaps misplaced entries from both ends, pair by pair, until they meet. Long parts are
 * first scanned by blocks at each end, without branches that would be mispredicted. The pairs are
 * the same. */
enum { BLOCK = 32 };

typedef struct block {
  uint8_t at[BLOCK]; /* offsets of entries to swap, from the outer end */
  int next, count;
} block;

static inline void look_through(block *b, const entry *a, int64_t step, entry pivot, rule by) {
  b->next = b->count = 0;
  for (int k = 0; k < BLOCK; k++) {
    entry e = a[k * step];
    b->at[b->count] = (uint8_t)k;
    b->count += step > 0 ? !before(e, pivot, by) : !before(pivot, e, by);
  }
}

/* Narrows the unpartitioned range *i..*j - 1 to at most two blocks. */
static inline void swap_blocks(entry *a, int64_t *i, int64_t *j, entry pivot, rule by,
                               tocha_stop stop) {
  block left = {.count = 0}, right = {.count = 0};
  int64_t low = *i, high = *j;
  if (by == UNORDERED_NANS) return;
  for (int64_t span = high - low; span >= 2 * BLOCK && !tocha_is_set(stop);) {
    if (left.next == left.count) look_through(&left, a + low, 1, pivot, by);
    if (right.next == right.count) look_through(&right, a + high - 1, -1, pivot, by);
    while (left.next < left.count && right.next < right.count)
      swap(a, low + left.at[left.next++], high - 1 - right.at[right.next++]);
    if (left.next == left.count) low += BLOCK, span -= BLOCK;
    if (right.next == right.count) high -= BLOCK, span -= BLOCK;
  }
  *i = left.next < left.count ? low + left.at[left.next] : low;
  *j = right.next < right.count ? high - right.at[right.next] : high;
}

/* Partitions first..last - 1. Returns the start of the second part. */
static int64_t partition(entry *a, int64_t first, int64_t last, rule by, tocha_stop stop) {
  pivot_to_front(a, first, first + 1, first + (last - first) / 2, last - 1, by);
  entry pivot = a[first];
  int64_t i = first + 1, j = last;
  if (by == BY_KEY) /* repeated as a constant, so that the other rule is compiled out */
    swap_blocks(a, &i, &j, pivot, BY_KEY, stop);
  else
    swap_blocks(a, &i, &j, pivot, by, stop);
  for (; !tocha_is_set(stop); i++) {
    while (before(a[i], pivot, by)) i++;
    j--;
    while (before(pivot, a[j], by)) j--;
    if (i >= j) break;
    swap(a, i, j);
  }
  return i;
}

static void insertion_sort(entry *a, int64_t n, rule by) {
  for (int64_t i = 1; i < n; i++) {
    entry e = a[i];
    int64_t k = before(e, a[0], by) ? 0 : i;
    for (int64_t j = i; k == 0 && j > 0; j--) a[j] = a[j - 1];
    for (; k > 1 && before(e, a[k - 1], by); k--) a[k] = a[k - 1];
    a[k] = e;
  }
}

static int twice_log2(int64_t n) {
  int log = 0;
  while (n >>= 1) log += 2;
  return log;
}

/* Works as std::nth_element does: moves the entry of rank k (from 0) to its place, and entries that
 * come before it in the order to the places before. */
static void nth_element(entry *a, int64_t n, int64_t k, rule by, tocha_stop stop) {
  int64_t first = 0, last = n;
  for (int depth = twice_log2(n); last - first > 3 && !tocha_is_set(stop); depth--) {
    if (depth == 0) {
      select_heap(a + first, last - first, k + 1 - first, by, stop);
      swap(a, first, k);
      return;
    }
    int64_t cut = partition(a, first, last, by, stop);
    if (cut <= k)
      first = cut;
    else
      last = cut;
  }
  if (last - first <= 3) insertion_sort(a + first, last - first, by);
}

enum { RUN = 16 /* shorter parts are left to insertion, as in std::sort */, FEW = 16 };

static void introsort(entry *a, int64_t first, int64_t last, int depth, rule by, tocha_stop stop) {
  for (; last - first > RUN && !tocha_is_set(stop); depth--) {
    if (depth == 0) {
      heap_sort(a + first, last - first, by, stop);
      return;
    }
    int64_t cut = partition(a, first, last, by, stop);
    introsort(a, cut, last, depth - 1, by, stop);
    last = cut;
  }
}

/* Works as std::sort does. */
static void sort(entry *a, int64_t n, rule by, tocha_stop stop) {
  introsort(a, 0, n, twice_log2(n), by, stop);
  if (tocha_is_set(stop)) return;
  insertion_sort(a, n < RUN ? n : RUN, by);
  for (int64_t i = RUN; i < n && !is_time(i, stop); i++) {
    entry e = a[i];
    int64_t k = i;
    for (; k > 0 && before(e, a[k - 1], by); k--) a[k] = a[k - 1];
    a[k] = e;
  }
}

/* --- the loops ------------------------------------------------------------------------------- */

/* Returns true if one of the entries first..end is before e. Compilers vectorize the loop. */
static bool any_before(const entry *a, int64_t first, int64_t end, entry e) {
  int any = 0;
  for (int64_t i = first; i < end; i++) any |= key_of(a[i]) < key_of(e);
  return any != 0;
}

/* Moves the first k < FEW entries of the order to the front, in order. Returns false if equal keys
 * leave a choice. */
static bool top_few(entry *a, int64_t n, int64_t k, tocha_stop stop) {
  entry best[FEW]; /* the first k, and the next one */
  int64_t found = 0;
  for (int64_t first = 0; first < n && !tocha_is_set(stop); first += BLOCK) {
    int64_t end = n - first < BLOCK ? n : first + BLOCK;
    if (found > k && !any_before(a, first, end, best[k])) continue;
    for (int64_t i = first; i < end; i++) {
      entry e = a[i];
      if (found > k && !before(e, best[k], BY_KEY)) continue;
      int64_t j = found > k ? k : found++;
      for (; j > 0 && before(e, best[j - 1], BY_KEY); j--) best[j] = best[j - 1];
      best[j] = e;
    }
  }
  for (int64_t j = 1; j < found; j++)
    if (key_of(best[j]) == key_of(best[j - 1])) return false;
  memcpy(a, best, (size_t)k * sizeof *a);
  return true;
}

static void top(void *entries, int64_t n, int64_t k, bool sorted, tocha_stop stop) {
  entry *a = entries;
  if (sorted && k < FEW && top_few(a, n, k, stop)) return;
  if (k <= n / 64) {
    select_heap(a, n, k, BY_KEY, stop);
    sort_heap(a, k, BY_KEY, stop);
    return;
  }
  nth_element(a, n, k - 1, BY_KEY, stop);
  if (sorted) sort(a, k - 1, BY_KEY, stop);
}

static inline void order_two(entry *a, int64_t i, int64_t j) {
  if (before(a[j], a[i], BY_KEY)) swap(a, i, j);
}

static int64_t kth(void *entries, int64_t n, int64_t rank, tocha_stop stop) {
  entry *a = entries;
  int64_t low = 0, high = n - 1, k = rank - 1;
  while (high > low + 1 && !tocha_is_set(stop)) {
    swap(a, low + (high - low) / 2, low + 1);
    order_two(a, low + 1, high);
    order_two(a, low, high);
    order_two(a, low + 1, low);
    entry pivot = a[low];
    int64_t i = low + 2, j = high;
    swap_blocks(a, &i, &j, pivot, BY_KEY, stop);
    for (;; i++) {
      while (before(a[i], pivot, BY_KEY)) i++;
      do j--;
      while (before(pivot, a[j], BY_KEY));
      if (j < i) break;
      swap(a, i, j);
    }
    swap(a, low, j);
    if (j <= k) low = i;
    if (j >= k) high = j - 1;
  }
  if (high == low + 1) order_two(a, low, high);
  return place_of(a[k]);
}

static int64_t at_rank(void *entries, int64_t n, int64_t rank, tocha_stop stop) {
  entry *a = entries;
  int64_t first = 0, last = n, k = rank - 1;
  for (int depth = twice_log2(n); last - first > RUN && !tocha_is_set(stop); depth--) {
    if (depth == 0) {
      heap_sort(a + first, last - first, BY_KEY, stop);
      return place_of(a[k]);
    }
    int64_t cut = partition(a, first, last, BY_KEY, stop);
    if (cut <= k)
      first = cut;
    else
      last = cut;
  }
  if (last - first <= RUN) insertion_sort(a + first, last - first, BY_KEY);
  return place_of(a[k]);
}

static int64_t mode(void *entries, int64_t n, bool nans, int64_t *count, tocha_stop stop) {
  const entry *e = entries;
  int64_t rank = 1, max_count = 0;
  if (nans) sort(entries, n, UNORDERED_NANS, stop);
  for (int64_t i = 1, begin = 0; i <= n && !is_time(i, stop); i++) {
    bool alone = nans && has_maximum_key(e[begin]);
    if (i < n && key_of(e[i]) == key_of(e[begin]) && !alone) continue;
    if (i - begin > max_count) {
      max_count = i - begin;
      rank = i;
    }
    begin = i;
  }
  *count = max_count;
  return rank;
}

const tocha_select_entries_loops TOCHA_LOOPS(select_entries) = {top, kth, mode, at_rank};
