/* block.h: one number from all threads of a block. */
#pragma once

#include "kernel.h"

namespace tocha {

/* The combination of every thread's value, in an order that depends on nothing but the number of
 * threads; in all threads. combine is associative and commutative up to rounding. Blocks of a
 * multiple of 32 threads, all of which take part. */
template <class T, class Combine> __device__ inline T block_combined(T value, Combine combine) {
  SHARED(T, part, [32]);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int step = 16; step; step /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, step));
  if (lane == 0) part[warp] = value;
  __syncthreads();
  value = part[0];
  for (int i = 1; i < warps; i++) value = combine(value, part[i]);
  __syncthreads(); /* before part is used again */
  return value;
}

struct Sum {
  template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};

} // namespace tocha
