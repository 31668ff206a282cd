/* nonzero.c: the loops of nonzero.h. Minus zero is zero, NaN is not. */
#include "ops/indexing/cpu/nonzero.h"

#include <string.h>

#if defined(TOCHA_LOOPS_float16) || defined(TOCHA_LOOPS_bfloat16)
static inline bool is_set(T x) { return (x & 0x7fff) != 0; }
#else
static inline bool is_set(T x) { return x != 0; }
#endif

static int64_t count(const void *flags, int64_t begin, int64_t end) {
  const T *x = flags;
  int32_t sum = 0;
  for (int64_t i = begin; i < end; i++) sum += is_set(x[i]);
  return sum;
}

/* Eight flags at a time, as bytes of one word; some of them without a branch for each. */
static int64_t find(const void *flags, int64_t begin, int64_t end, int64_t *found) {
  enum { EIGHT = 8 };
  const T *x = (const T *)flags + begin;
  uint8_t set[TOCHA_NONZERO_TILE + EIGHT];
  int64_t count = end - begin, n = 0;
  for (int64_t i = 0; i < count; i++) set[i] = is_set(x[i]);
  memset(set + count, 0, EIGHT);
  for (int64_t i = 0; i < count; i += EIGHT) {
    uint64_t word;
    memcpy(&word, set + i, sizeof word);
    if (word == 0) continue;
    if (word == 0x0101010101010101) {
      for (int k = 0; k < EIGHT; k++) found[n + k] = begin + i + k;
      n += EIGHT;
      continue;
    }
    for (int k = 0; k < EIGHT; k++) {
      found[n] = begin + i + k;
      n += set[i + k];
    }
  }
  return n;
}

const tocha_nonzero_loops TOCHA_LOOPS(nonzero) = {count, find};
