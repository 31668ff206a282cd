/* typed_math.h: elementary functions on contiguous runs of the type T that a file of loops is
 * compiled for. `target` may be `source`. */
#ifndef TOCHA_TYPED_MATH_H
#define TOCHA_TYPED_MATH_H

#include "tensor/math/scalar_math.h"
#include "tensor/math/typed_vector.h"

static inline V typed_load(const T *source, int64_t i, int64_t n) {
  return vector_load((const char *)source, sizeof(T), i, n);
}
static inline void typed_store(T *target, int64_t i, int64_t n, V value) {
  vector_store((char *)target, sizeof(T), i, n, value);
}

static inline void typed_exp(T *target, const T *source, int64_t n) {
  for (int64_t i = 0; i < n; i += LANES) typed_store(target, i, n, EXP(typed_load(source, i, n)));
}
static inline void typed_log(T *target, const T *source, int64_t n) {
  for (int64_t i = 0; i < n; i += LANES) typed_store(target, i, n, LOG(typed_load(source, i, n)));
}
/* Computes exp(source - shift). If the last vector is partial, it overlaps the vector before, so
 * it is read before that vector is written. */
static inline void typed_shifted_exp(T *target, const T *source, T shift, int64_t n) {
  int64_t i = 0, last = n < LANES ? 0 : n - LANES;
  V rest = {0};
  if (n % LANES) rest = EXP(typed_load(source, last, n) - shift);
  for (; i + LANES <= n; i += LANES)
    typed_store(target, i, n, EXP(typed_load(source, i, n) - shift));
  if (i < n) typed_store(target, last, n, rest);
}

#endif
