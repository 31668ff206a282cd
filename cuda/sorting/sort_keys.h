/* sort_keys.h: converts elements of any dtype to unsigned keys of the same order, and sorts
 * within a block.
 *
 * NaN is the largest, and -0 equals 0. A key is `unsigned` for types of up to 4 bytes, whose
 * values fill its lowest bits, and `unsigned long long` for the others. */
#pragma once

#include "common/launch.h"
#include "sorting/launch.h"

namespace tocha {

enum {
  TOCHA_SORT_BLOCK = 2048,  /* longest row that one block sorts */
  TOCHA_MAX_SELECTED = 1024 /* maximum number of elements that one block selects from a row */
};

inline bool has_wide_keys(int dtype) { return dtype == TOCHA_INT64 || dtype == TOCHA_FLOAT64; }

/* Returns the key of a floating-point number. Its sign is the highest bit of B; `infinity` are
 * the bits of infinity. */
template <class B> __device__ inline B ordered_bits(B bits, B infinity) {
  B sign = static_cast<B>(~(static_cast<B>(~B(0)) >> 1));
  B size = static_cast<B>(bits & ~sign);
  if (size > infinity) return static_cast<B>(~B(0));
  if (size == 0) return sign;
  return static_cast<B>(bits & sign ? ~bits : bits | sign);
}

template <class Key> __device__ inline Key key_at(const void *in, int dtype, long long i);

template <> __device__ inline unsigned key_at<unsigned>(const void *in, int dtype, long long i) {
  switch (dtype) {
  case TOCHA_BOOL:
    return static_cast<const unsigned char *>(in)[i] != 0;
  case TOCHA_UINT8:
    return static_cast<const unsigned char *>(in)[i];
  case TOCHA_INT8:
    return static_cast<const unsigned char *>(in)[i] ^ 0x80u;
  case TOCHA_INT16:
    return static_cast<const unsigned short *>(in)[i] ^ 0x8000u;
  case TOCHA_INT32:
    return static_cast<const unsigned *>(in)[i] ^ 0x80000000u;
  case TOCHA_FLOAT16:
    return ordered_bits<unsigned short>(static_cast<const unsigned short *>(in)[i], 0x7c00);
  case TOCHA_BFLOAT16:
    return ordered_bits<unsigned short>(static_cast<const unsigned short *>(in)[i], 0x7f80);
  default:
    return ordered_bits<unsigned>(static_cast<const unsigned *>(in)[i], 0x7f800000u);
  }
}

template <>
__device__ inline unsigned long long key_at<unsigned long long>(const void *in, int dtype,
                                                                long long i) {
  unsigned long long bits = static_cast<const unsigned long long *>(in)[i];
  if (dtype == TOCHA_INT64) return bits ^ 0x8000000000000000ull;
  return ordered_bits<unsigned long long>(bits, 0x7ff0000000000000ull);
}

/* Copies one element of `bytes` bytes. */
__device__ inline void copy_element(void *to, long long target, const void *from, long long source,
                                    int bytes) {
  switch (bytes) {
  case 1:
    static_cast<unsigned char *>(to)[target] = static_cast<const unsigned char *>(from)[source];
    break;
  case 2:
    static_cast<unsigned short *>(to)[target] = static_cast<const unsigned short *>(from)[source];
    break;
  case 4:
    static_cast<unsigned *>(to)[target] = static_cast<const unsigned *>(from)[source];
    break;
  default:
    static_cast<unsigned long long *>(to)[target] =
        static_cast<const unsigned long long *>(from)[source];
  }
}

/* Sorts `length` (a power of two, at least 2) entries in shared memory, by key and then by
 * order, with the threads 0..length/2 of a group; `thread` is the thread's number in the group.
 * Groups of one block have equal lengths. A block has whole warps, and every thread of it must
 * call (idle ones with active false). Entries must be written before a barrier; the result is
 * complete after the call. Batcher's bitonic sort. */
template <class Key>
__device__ inline void sort_shared(Key *keys, unsigned *order, int length, int thread,
                                   bool active) {
  for (int run = 2; run <= length; run *= 2) {
    for (int step = run / 2; step > 0; step /= 2) {
      if (active) {
        int a = 2 * thread - (thread & (step - 1)), b = a + step;
        Key x = keys[a], y = keys[b];
        unsigned m = order[a], n = order[b];
        bool greater = x > y || (x == y && m > n), rising = (a & run) == 0;
        if (greater == rising) {
          keys[a] = y;
          keys[b] = x;
          order[a] = n;
          order[b] = m;
        }
      }
      /* Steps up to 32 stay within the 64 entries of a warp. */
      int following = step > 1 ? step / 2 : run;
      if (step > 32 || following > 32 || (run == length && step == 1))
        __syncthreads();
      else
        __syncwarp();
    }
  }
}

} // namespace tocha
