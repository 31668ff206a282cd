/* launch.h: functions that kernels of every family share: grids, and reports of indices out of
 * range. */
#pragma once

#include "common/element.h"
#include "common/strided.h"
#include "runtime/state.h"

namespace tocha {

enum { BLOCK_THREADS = 256 };

/* Returns the number of blocks for a grid-stride loop over n items: enough to fill the GPU, not
 * more. */
inline unsigned blocks_for(const Stream *stream, long long n, int threads = BLOCK_THREADS) {
  const cudaDeviceProp &p = stream->home().properties;
  long long wanted = (n + threads - 1) / threads;
  long long maximum = 4LL * p.multiProcessorCount * (p.maxThreadsPerMultiProcessor / threads);
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted < maximum ? wanted : maximum);
}

/* Returns this thread's number, or the number of all threads, for loops `for (long long i =
 * first_item(); i < n; i += item_step())`. I may be unsigned if n < 2^31. */
template <class I = long long> __device__ inline I first_item() {
  return static_cast<I>(blockIdx.x) * blockDim.x + threadIdx.x;
}
template <class I = long long> __device__ inline I item_step() {
  return static_cast<I>(gridDim.x) * blockDim.x;
}

/* Reports that `index` at dimension `dim` (-1: unknown) of `size` is out of range. The first
 * report stays, and becomes an error at the next synchronization. The kernel continues with a
 * harmless index. */
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

/* Reports a whole message; `words` is the host's address of a text that stays valid. */
__device__ inline void report_words(Fault *fault, const char *words) {
  report_index(fault, words, 0, FAULT_IN_WORDS, 0);
}

} // namespace tocha
