/* nonzero.c: the loops of nonzero.h. Minus zero counts as zero, NaN does not. */
#include "ops/indexing/cpu/nonzero.h"

#include <assert.h>
#include <string.h>

#if defined(TOCHA_LOOPS_float16) || defined(TOCHA_LOOPS_bfloat16)
static inline bool is_set(T x) { return (x & 0x7fff) != 0; }
#else
static inline bool is_set(T x) { return x != 0; }
#endif

/* Byte elements are counted in lanes of bytes. A tile is too small to overflow a lane. */
enum { LANES = sizeof(T) == 1 ? 64 : 1 };
static_assert(sizeof(T) > 1 || TOCHA_NONZERO_TILE / LANES <= UINT8_MAX,
              "a byte holds a lane's sum");

static int64_t count(const void *flags, int64_t begin, int64_t end) {
  const T *x = flags;
  uint8_t lanes[LANES] = {0};
  int32_t sum = 0;
  int64_t i = begin;
  for (; sizeof(T) == 1 && i + LANES <= end; i += LANES)
    for (int k = 0; k < LANES; k++) lanes[k] = (uint8_t)(lanes[k] + is_set(x[i + k]));
  for (int k = 0; k < LANES; k++) sum += lanes[k];
  for (; i < end; i++) sum += is_set(x[i]);
  return sum;
}

/* Writes the numbers of nonzero flags among begin..end to found, and returns how many there are. Eight flags at a time are
 * bytes of one word, and a word with some flags set is handled without a branch for each flag. */
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
