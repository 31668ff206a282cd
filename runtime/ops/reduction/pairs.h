/* pairs.h: the order of the pairs (a, b), a < b < n, shared by the CPU's loops and the GPU's
 * kernels. */
#ifndef TOCHA_PAIRS_H
#define TOCHA_PAIRS_H

#include <math.h>
#include <stdint.h>

#include "tensor/math/scalar_math.h"

/* Returns the number of the first pair (a, a + 1). */
TOCHA_DEVICE static inline int64_t tocha_first_pair(int64_t n, int64_t a) {
  return a * n - a * (a + 1) / 2;
}

/* Writes the elements a and b of pair number k. */
TOCHA_DEVICE static inline void tocha_pair_of(int64_t n, int64_t k, int64_t *a, int64_t *b) {
  double middle = (double)n - 0.5;
  int64_t first = (int64_t)(middle - sqrt(middle * middle - 2.0 * (double)k - 1.0));
  while (first > 0 && tocha_first_pair(n, first) > k) first--;
  while (tocha_first_pair(n, first + 1) <= k) first++;
  *a = first;
  *b = k - tocha_first_pair(n, first) + first + 1;
}

#endif
