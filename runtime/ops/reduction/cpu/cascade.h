/* cascade.h: levels of running sums of T (a typed file's type), whose error grows with log n: the order
 * in which PyTorch adds on the CPU, so that sums agree to the last bit. Terms are added to level 0; each
 * time 2^power of them are in a level, its sum moves into the next one. */
#ifndef TOCHA_CASCADE_H
#define TOCHA_CASCADE_H

#include "tensor/loops.h"

/* For n terms in that many levels: max(4, log2(n) / levels). */
static inline int tocha_cascade_power(int64_t n, int levels) {
  int bits = 0; /* the smallest with 2^bits >= n */
  while (((int64_t)1 << bits) < n) bits++;
  return bits / levels > 4 ? bits / levels : 4;
}

/* Moves what is full up: levels of `width` sums each, which lie one after the other; position: of the
 * last term that was added. */
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
