/* nth.c: finds the element of a rank. Two keys from a sample probably enclose the rank and separate
 * most other elements in one pass without branches. The remaining keys are searched in the same
 * way. */
#include "ops/sorting/cpu/nth.h"

#include "ops/sorting/cpu/key.h"
#include "tensor/interruptible.h"

enum {
  FEW = 32,           /* as few are sorted */
  SAMPLE = 256,       /* sample size from MANY keys on; below, FEW */
  MANY = 1 << 15,     /* keys */
  SAMPLED_ROUNDS = 8, /* later rounds halve the range of keys, because samples can mislead */
  PIECE = 1 << 16,    /* keys between two checks of *stop */
  BLOCK = 1024        /* elements whose equals are counted together */
};

/* The n keys that may have the rank. All are within low..high. */
typedef struct search {
  key *keys, low, high;
  int64_t n, rank;
} search;

static void sort_few(key *keys, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    key k = keys[i];
    int64_t j = i;
    for (; j > 0 && keys[j - 1] > k; j--) keys[j] = keys[j - 1];
    keys[j] = k;
  }
}

/* Chooses two keys of a sample that probably enclose the rank. */
static void choose_pivots(const search *s, key *low, key *high) {
  key sample[SAMPLE];
  int64_t n = s->n < MANY ? FEW : SAMPLE, margin = s->n < MANY ? FEW / 6 : SAMPLE / 12;
  for (int64_t i = 0; i < n; i++) sample[i] = s->keys[(2 * i + 1) * (s->n / (2 * n))];
  sort_few(sample, n);
  int64_t middle = (int64_t)((double)s->rank / (double)s->n * (double)n);
  *low = sample[middle < margin ? 0 : middle - margin];
  *high = sample[middle + margin < n ? middle + margin : n - 1];
}

/* Numbers of keys below low, at most low, below high and at most high. */
typedef struct counts {
  int64_t below_low, to_low, below_high, to_high;
} counts;

static counts count(const search *s, key low, key high, tocha_stop stop) {
  counts all = {0};
  for (int64_t first = 0; first < s->n && !tocha_is_set(stop); first += PIECE) {
    int64_t end = s->n - first < PIECE ? s->n : first + PIECE;
    key a = 0, b = 0, c = 0, d = 0; /* as wide as a key, so that vectors have equal lanes */
    for (int64_t i = first; i < end; i++) {
      key k = s->keys[i];
      a += k < low, b += k <= low, c += k < high, d += k <= high;
    }
    all.below_low += (int64_t)a, all.to_low += (int64_t)b;
    all.below_high += (int64_t)c, all.to_high += (int64_t)d;
  }
  return all;
}

/* Keeps only the keys within low..high. smaller: the number of keys below them. */
static void keep(search *s, key low, key high, int64_t smaller, tocha_stop stop) {
  int64_t n = 0;
  key range = high - low;
  for (int64_t first = 0; first < s->n && !tocha_is_set(stop); first += PIECE) {
    int64_t end = s->n - first < PIECE ? s->n : first + PIECE;
    for (int64_t i = first; i < end; i++) {
      key k = s->keys[i];
      s->keys[n] = k;
      n += (key)(k - low) <= range;
    }
  }
  *s = (search){s->keys, low, high, n, s->rank - smaller};
}

/* Returns the key of the rank. Sets s->rank to the rank among the equal keys. */
static key key_of_rank(search *s, tocha_stop stop) {
  for (int round = 0; s->n > 2 * FEW && !tocha_is_set(stop); round++) {
    key low = s->low + (key)(s->high - s->low) / 2, high = low;
    if (round < SAMPLED_ROUNDS) choose_pivots(s, &low, &high);
    counts c = count(s, low, high, stop);
    if (s->rank < c.below_low) {
      keep(s, s->low, low - 1, 0, stop);
    } else if (s->rank < c.to_low) {
      s->rank -= c.below_low;
      return low;
    } else if (s->rank < c.below_high) {
      keep(s, low + 1, high - 1, c.to_low, stop);
    } else if (s->rank < c.to_high) {
      s->rank -= c.below_high;
      return high;
    } else {
      keep(s, high + 1, s->high, c.to_high, stop);
    }
  }
  if (tocha_is_set(stop)) return 0;
  sort_few(s->keys, s->n);
  key found = s->keys[s->rank];
  int64_t first = s->rank;
  while (first > 0 && s->keys[first - 1] == found) first--;
  s->rank -= first;
  return found;
}

/* Returns the place of an element with the key `wanted` that has `before` such elements in
 * front. */
static int64_t place_of(const T *x, int64_t stride, int64_t n, key wanted, int64_t before,
                        tocha_stop stop) {
  for (int64_t first = 0; first < n && !tocha_is_set(stop); first += BLOCK) {
    int64_t end = n - first < BLOCK ? n : first + BLOCK;
    key found = 0;
    for (int64_t i = first; i < end; i++) found += key_of(x[i * stride]) == wanted;
    if ((int64_t)found <= before) {
      before -= (int64_t)found;
      continue;
    }
    for (int64_t i = first; i < end; i++)
      if (key_of(x[i * stride]) == wanted && before-- == 0) return i;
  }
  return 0;
}

static int64_t nth(const void *in, int64_t stride, int64_t n, int64_t rank, void *keys,
                   tocha_stop stop) {
  const T *x = in;
  search s = {keys, 0, (key) ~(key)0, n, rank};
  for (int64_t first = 0; first < n && !tocha_is_set(stop); first += PIECE) {
    int64_t end = n - first < PIECE ? n : first + PIECE;
    if (stride == 1)
      for (int64_t i = first; i < end; i++) s.keys[i] = key_of(x[i]);
    else
      for (int64_t i = first; i < end; i++) s.keys[i] = key_of(x[i * stride]);
  }
  key wanted = key_of_rank(&s, stop);
  return place_of(x, stride, n, wanted, s.rank, stop);
}

const tocha_nth_loops TOCHA_LOOPS(nth) = {nth};
