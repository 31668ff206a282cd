/* launch.h: what kernels of every family share: grids, offsets into strided operands, reports of
 * indices out of range. */
#pragma once

#include "divide.h"
#include "element.h"
#include "kernels.h"
#include "state.h"

namespace tocha {

enum { BLOCK_THREADS = 256 };

/* Blocks of a grid-stride loop over n items: enough to fill the card, not more. */
inline unsigned blocks_for(const Queue *queue, long long n, int threads = BLOCK_THREADS) {
  const cudaDeviceProp &p = queue->home().properties;
  long long wanted = (n + threads - 1) / threads;
  long long most = 4LL * p.multiProcessorCount * (p.maxThreadsPerMultiProcessor / threads);
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

/* This thread's number and the number of all, for loops
 * `for (long long i = first_item(); i < n; i += item_step())`. */
__device__ inline long long first_item() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline long long item_step() { return static_cast<long long>(gridDim.x) * blockDim.x; }

/* Byte offsets of element number i of a walk, for N operands. I: unsigned where all offsets and
 * numbers fit into 31 bits (fits_32_bits), else unsigned long long. */
template <class I, int N> struct Offsets {
  int ndim, rest; /* rest: no gap, which could look like an address to the simulator */
  Divisor<I> sizes[TOCHA_WALK_DIMS];
  I strides[TOCHA_WALK_DIMS][N];

  Offsets() = default;
  explicit Offsets(const tocha_walk &walk) : ndim(walk.ndim), rest(0), sizes(), strides() {
    for (int d = 0; d < ndim; d++) {
      sizes[d] = Divisor<I>(static_cast<I>(walk.sizes[d]));
      for (int k = 0; k < N; k++) strides[d][k] = static_cast<I>(walk.strides[k][d]);
    }
  }
  __device__ void at(I i, I (&offset)[N]) const {
    for (int k = 0; k < N; k++) offset[k] = 0;
    for (int d = 0; d < ndim; d++) {
      I quotient = d + 1 < ndim ? sizes[d].quotient(i) : 0;
      I index = i - quotient * sizes[d].divisor;
      for (int k = 0; k < N; k++) offset[k] += index * strides[d][k];
      i = quotient;
    }
  }
};

inline long long size_of_stride(const tocha_walk &walk, int k, int d) {
  return walk.strides[k][d] < 0 ? -walk.strides[k][d] : walk.strides[k][d];
}

/* Whether offsets of the walk fit into 31 bits and a sign (only copies meet negative strides). */
inline bool fits_32_bits(const tocha_walk &walk) {
  if (walk.numel >= 0x7fffffff) return false;
  for (int k = 0; k < walk.operands; k++) {
    long long last = 8;
    for (int d = 0; d < walk.ndim; d++) last += (walk.sizes[d] - 1) * size_of_stride(walk, k, d);
    if (last >= 0x7fffffff) return false;
  }
  return true;
}

/* start(part) for parts of the walk that fit into 32 bits: the walk itself, or halves of its widest
 * dimension, and halves of those. So kernels of walks need no 64-bit form. */
template <class F> bool in_32_bit_parts(const tocha_walk &walk, F start) {
  if (fits_32_bits(walk)) return start(walk);
  int widest = 0;
  long long most = -1;
  for (int d = 0; d < walk.ndim; d++)
    for (int k = 0; k < walk.operands; k++) {
      long long stride = size_of_stride(walk, k, d),
                bytes = (walk.sizes[d] - 1) * (stride ? stride : 1);
      if (bytes > most) most = bytes, widest = d;
    }
  tocha_walk part = walk;
  part.sizes[widest] = walk.sizes[widest] / 2;
  part.numel = walk.numel / walk.sizes[widest] * part.sizes[widest];
  if (!in_32_bit_parts(part, start)) return false;
  for (int k = 0; k < walk.operands; k++)
    if (part.data[k])
      part.data[k] =
          static_cast<char *>(part.data[k]) + part.sizes[widest] * walk.strides[k][widest];
  part.sizes[widest] = walk.sizes[widest] - part.sizes[widest];
  part.numel = walk.numel - walk.numel / walk.sizes[widest] * (walk.sizes[widest] / 2);
  return in_32_bit_parts(part, start);
}

/* Whether every access of operand k can be `bytes` at once, along a dense inner dimension whose size
 * is a multiple of as many elements; strides of operand k alone matter. */
inline bool takes_wide_access(const tocha_walk &walk, int k, long long bytes) {
  if (reinterpret_cast<uintptr_t>(walk.data[k]) % static_cast<uintptr_t>(bytes)) return false;
  for (int d = 1; d < walk.ndim; d++)
    if (walk.strides[k][d] % bytes) return false;
  return true;
}

/* For kernels that meet index at dimension dim (-1: not said) of `size`: the first report stays, and
 * becomes an error at the next synchronization. The kernel goes on with a harmless index. */
__device__ inline void report_index(Fault *fault, const char *op, long long index, int dim,
                                    long long size) {
  if (atomicExch(&fault->claimed, 1)) return;
  fault->op = op;
  fault->index = index;
  fault->dim = dim;
  fault->size = size;
  __threadfence_system();
  fault->reported = 1;
}

/* The same with the whole message; words: the host's address of text that lives on. */
__device__ inline void report_words(Fault *fault, const char *words) {
  report_index(fault, words, 0, FAULT_IN_WORDS, 0);
}

} // namespace tocha
