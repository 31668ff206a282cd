/* block.h: combines the values of a block's threads: of all threads, or of those before each
 * thread.
 *
 * Every thread of the block must call, and a block is whole warps, numbered along x and then y.
 * The order of joins depends only on the shape of the block. T: a number, or a struct of whole
 * words. */
#pragma once

#include "common/element.h"

namespace tocha {

struct Plus {
  template <class T> __device__ T operator()(T a, T b) const { return plus(a, b); }
};
struct Greater {
  template <class T> __device__ T operator()(T a, T b) const { return greater(a, b); }
};

/* Returns `value` passed through a shuffle of numbers; a struct is shuffled word by word. */
template <class T, class Shuffle> __device__ inline T shuffled(T value, Shuffle shuffle) {
  if constexpr (std::is_arithmetic<T>::value) {
    return shuffle(value);
  } else {
    static_assert(sizeof(T) % sizeof(unsigned) == 0, "whole words");
    unsigned words[sizeof(T) / sizeof(unsigned)];
    memcpy(words, &value, sizeof value);
    UNROLL
    for (unsigned &word : words) word = shuffle(word);
    memcpy(&value, words, sizeof value);
    return value;
  }
}

/* Joins the values of all threads with one threadIdx.y; blockDim.x is a power of two or whole
 * warps. All of them get the result. If join(a, b) rounds differently from join(b, a), the
 * result of threadIdx.x = 0 counts. */
template <class T, class Join> __device__ inline T block_joined(T value, Join join) {
  SHARED(T, parts, [32]);
  const int width = blockDim.x < 32 ? static_cast<int>(blockDim.x) : 32;
  for (int step = width / 2; step > 0; step /= 2)
    value =
        join(value,
             shuffled(value, [=](auto x) { return __shfl_xor_sync(0xffffffffu, x, step, width); }));
  if (blockDim.x <= 32) return value;
  const int warps = static_cast<int>(blockDim.x / 32);
  const int first = static_cast<int>(threadIdx.y) * warps;
  if (threadIdx.x % 32 == 0) parts[first + threadIdx.x / 32] = value;
  __syncthreads();
  value = parts[first];
  for (int k = 1; k < warps; k++) value = join(value, parts[first + k]);
  __syncthreads(); /* before `parts` is used again */
  return value;
}

enum { MAX_COLUMN_THREADS = 512 };

/* Joins the values of all threads with one threadIdx.x, in a block of up to MAX_COLUMN_THREADS.
 * All of them get the result. */
template <class T, class Join> __device__ inline T columns_joined(T value, Join join) {
  SHARED(T, places, [MAX_COLUMN_THREADS]);
  if (blockDim.y == 1) return value;
  places[threadIdx.y * blockDim.x + threadIdx.x] = value;
  __syncthreads();
  value = places[threadIdx.x];
  for (int k = 1; k < static_cast<int>(blockDim.y); k++)
    value = join(value, places[k * blockDim.x + threadIdx.x]);
  __syncthreads();
  return value;
}

/* Returns the joined values of the threads before this one (none: `start`), in blocks of one
 * dimension, and sets *all to those of the whole block. The arguments of join are the earlier
 * and the later value. */
template <class T, class Join>
__device__ inline T joined_before(T value, T start, Join join, T *all) {
  SHARED(T, parts, [32]);
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  for (unsigned step = 1; step < 32; step *= 2) {
    T earlier = shuffled(value, [=](auto x) { return __shfl_up_sync(0xffffffffu, x, step); });
    if (lane >= static_cast<int>(step)) value = join(earlier, value);
  }
  if (lane == 31) parts[warp] = value;
  T within = shuffled(value, [](auto x) { return __shfl_up_sync(0xffffffffu, x, 1u); });
  if (lane == 0) within = start;
  __syncthreads();
  T before = start;
  for (int k = 0; k < warp; k++) before = join(before, parts[k]);
  *all = before;
  for (int k = warp; k < static_cast<int>(blockDim.x / 32); k++) *all = join(*all, parts[k]);
  __syncthreads();
  return join(before, within);
}

/* Does the same for sums of integers. */
template <class T> __device__ inline T sum_before(T value, T *all) {
  return joined_before(value, T(0), Plus(), all);
}

} // namespace tocha
