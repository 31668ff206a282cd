/* cascade.h: sums of T (a typed file's type) in levels, whose error grows with log n. PyTorch's CPU
 * adds in the same order, so results agree to the last bit. Terms are added to level 0. Each time a
 * level has 2^power terms, its sum moves to the next level. */
#ifndef TOCHA_CASCADE_H
#define TOCHA_CASCADE_H

#include "tensor/loops.h"

/* Returns the power for n terms and `levels` levels: max(4, log2(n) / levels). */
static inline int tocha_cascade_power(int64_t n, int levels) {
  int bits = 0; /* the smallest value with 2^bits >= n */
  while (((int64_t)1 << bits) < n) bits++;
  return bits / levels > 4 ? bits / levels : 4;
}

/* Moves the sums of full levels up. sums: (levels, width). position: the index of the last term
 * added. */
static inline __attribute__((always_inline)) void
tocha_cascade_carry(T *sums, int levels, int64_t width, int64_t position, int power) {
  const int64_t digit = ((int64_t)1 << power) - 1;
  for (int l = 0; l + 1 < levels && (position & digit << (l * power)) == 0; l++) {
    T *restrict level = sums + l * width, *restrict next = level + width;
    for (int64_t k = 0; k < width; k++) next[k] += level[k];
    for (int64_t k = 0; k < width; k++) level[k] = 0;
  }
}

#endif
