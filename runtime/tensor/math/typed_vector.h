/* typed_vector.h: vectors of the type T that a file of loops is compiled for.
 *
 * V is a vector of LANES elements if the instruction set has vector functions for T
 * (vector_math.h), else T itself. */
#ifndef TOCHA_TYPED_VECTOR_H
#define TOCHA_TYPED_VECTOR_H

#include <string.h>

#include "tensor/loops.h"
#include "tensor/math/vector_math.h"

#if defined(TOCHA_VECTORS) && defined(TOCHA_LOOPS_float32)
typedef vfloat V;
#elif defined(TOCHA_VECTORS) && defined(TOCHA_LOOPS_float64)
typedef vdouble V;
#else
#define TOCHA_NO_VECTORS_OF_T
typedef T V;
#endif
/* Returns the larger of each two lanes. If either is NaN, b's (on ARM's vectors, NaN). */
#if !defined(TOCHA_NO_VECTORS_OF_T) && defined(TOCHA_LOOPS_float32)
static inline V vector_max(V a, V b) { return vfloat_max(a, b); }
#elif !defined(TOCHA_NO_VECTORS_OF_T)
static inline V vector_max(V a, V b) { return vdouble_max(a, b); }
#else
static inline V vector_max(V a, V b) { return a > b ? a : b; }
#endif
enum { LANES = sizeof(V) / sizeof(T) };
#define WIDE(x) ((V){0} + (x)) /* x in every lane */

/* Loads elements i, i + 1, ... of n at a byte stride. Lanes past the end repeat the last
 * element, so that no function sees a value that is not in the array. */
static inline V vector_load(const char *base, int64_t stride, int64_t i, int64_t n) {
  V value;
  T lanes[LANES];
  if (stride == sizeof(T) && i + LANES <= n) {
    memcpy(&value, base + i * stride, sizeof value);
    return value;
  }
  if (stride == 0) return *(const T *)base - (V){0};
  for (int k = 0; k < LANES; k++)
    lanes[k] = *(const T *)(base + (i + k < n ? i + k : n - 1) * stride);
  memcpy(&value, lanes, sizeof value);
  return value;
}

/* Stores the lanes that are elements of n, at a byte stride. */
static inline void vector_store(char *base, int64_t stride, int64_t i, int64_t n, V value) {
  T lanes[LANES];
  if (stride == sizeof(T) && i + LANES <= n) {
    memcpy(base + i * stride, &value, sizeof value);
    return;
  }
  memcpy(lanes, &value, sizeof value);
  for (int k = 0; k < LANES && i + k < n; k++) *(T *)(base + (i + k) * stride) = lanes[k];
}

#endif
