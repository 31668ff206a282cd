/* block_scan.h: sums over the threads of a block. Every thread of the block must call. */
#pragma once

#include "kernel.h"

namespace tocha {

/* The sum of value over the threads before this one in a block of THREADS (a multiple of 32, one
 * dimension); *total: over all. T: unsigned, int or long long. */
template <int THREADS, class T> __device__ inline T block_exclusive(T value, T *total) {
  SHARED(T, warps, [THREADS / 32]);
  int lane = static_cast<int>(threadIdx.x & 31), warp = static_cast<int>(threadIdx.x >> 5);
  T sum = value;
  for (int d = 1; d < 32; d *= 2) {
    T other = __shfl_up_sync(0xffffffffu, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) warps[warp] = sum;
  __syncthreads();
  T before = 0, all = 0;
  for (int w = 0; w < THREADS / 32; w++) {
    T x = warps[w];
    if (w < warp) before += x;
    all += x;
  }
  __syncthreads(); /* before the next call writes there */
  *total = all;
  return before + sum - value;
}

} // namespace tocha
