/* where.c: the loops of where.h, for elements of T's size. */
#include "ops/indexing/cpu/where.h"

/* Selects n elements with dense out and condition. a_moves, b_moves (constants): a and b are dense, not one element. */
static inline __attribute__((always_inline)) void
where_dense(T *restrict out, const uint8_t *restrict condition, const T *restrict a,
            const T *restrict b, bool a_moves, bool b_moves, int64_t n) {
  T one_a = *a, one_b = *b;
  for (int64_t i = 0; i < n; i++) {
    T x = a_moves ? a[i] : one_a, y = b_moves ? b[i] : one_b;
    out[i] = condition[i] ? x : y;
  }
}

/* Does the same if b is the output. */
static inline __attribute__((always_inline)) void overwrite(T *restrict out,
                                                            const uint8_t *restrict condition,
                                                            const T *restrict a, bool a_moves,
                                                            int64_t n) {
  T one_a = *a;
  for (int64_t i = 0; i < n; i++) {
    T x = a_moves ? a[i] : one_a;
    out[i] = condition[i] ? x : out[i];
  }
}

/* Selects n elements with any strides, by a mask. A branch on a random condition, which the compiler may make of `?`, is
 * several times slower. */
static void where_any(char *const *data, const int64_t *strides, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    T a = *(const T *)(const void *)(data[2] + i * strides[2]);
    T b = *(const T *)(const void *)(data[3] + i * strides[3]);
    T mask = (T) - (*(const uint8_t *)(data[1] + i * strides[1]) != 0);
    *(T *)(void *)(data[0] + i * strides[0]) = (T)((a & mask) | (b & ~mask));
  }
}

static bool overlaps(const char *a, int64_t a_stride, const char *b, int64_t n) {
  int64_t bytes = n * (int64_t)sizeof(T);
  return a < b + bytes && b < a + (a_stride ? bytes : (int64_t)sizeof(T));
}

static void where(char *const *data, const int64_t *strides, int64_t n) {
  int64_t item = sizeof(T);
  bool dense = strides[0] == item && strides[1] == 1;
  bool own = data[3] == data[0] && strides[3] == item;
  for (int k = 2; k < 4; k++) {
    dense = dense && (strides[k] == item || strides[k] == 0);
    dense = dense && ((k == 3 && own) || !overlaps(data[k], strides[k], data[0], n));
  }
  T *out = (T *)(void *)data[0];
  const uint8_t *condition = (const uint8_t *)data[1];
  const T *a = (const T *)(const void *)data[2], *b = (const T *)(const void *)data[3];
  dense = dense && !overlaps(data[1], 1, data[0], n);
  if (!dense)
    where_any(data, strides, n);
  else if (own)
    strides[2] ? overwrite(out, condition, a, true, n) : overwrite(out, condition, a, false, n);
  else if (strides[2] && strides[3])
    where_dense(out, condition, a, b, true, true, n);
  else if (strides[2])
    where_dense(out, condition, a, b, true, false, n);
  else if (strides[3])
    where_dense(out, condition, a, b, false, true, n);
  else
    where_dense(out, condition, a, b, false, false, n);
}

const tocha_where_loops TOCHA_LOOPS(where) = {where};
