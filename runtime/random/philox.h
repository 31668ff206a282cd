/* philox.h: one block of Philox4x32-10, for the host and for kernels: J. Salmon, M. Moraes, R.
 * Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. A counter of 128
 * bits and a key of 64 give four words. */
#ifndef TOCHA_PHILOX_H
#define TOCHA_PHILOX_H

#include <stdint.h>

#ifdef __CUDACC__
#define TOCHA_PHILOX_FUNCTION __host__ __device__ static inline
#else
#define TOCHA_PHILOX_FUNCTION static inline
#endif

typedef struct tocha_philox_words {
  uint32_t word[4];
} tocha_philox_words;

TOCHA_PHILOX_FUNCTION tocha_philox_words tocha_philox(tocha_philox_words counter, uint32_t key0,
                                                      uint32_t key1) {
  uint32_t a = counter.word[0], b = counter.word[1], c = counter.word[2], d = counter.word[3];
  for (int round = 0; round < 10; round++) {
    uint64_t left = (uint64_t)0xd2511f53u * a, right = (uint64_t)0xcd9e8d57u * c;
    a = (uint32_t)(right >> 32) ^ b ^ key0;
    c = (uint32_t)(left >> 32) ^ d ^ key1;
    b = (uint32_t)right;
    d = (uint32_t)left;
    key0 += 0x9e3779b9u; /* the golden ratio, as a fraction of 2^32 */
    key1 += 0xbb67ae85u; /* the square root of 3 less 1, likewise: both keys are Weyl sequences */
  }
  tocha_philox_words result = {{a, b, c, d}};
  return result;
}

#endif
