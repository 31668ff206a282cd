/* grid.h: the grids of launches that draw. The number that each element gets depends on how many
 * threads there are; the rules are those of PyTorch 2.15's DistributionTemplates.h. */
#pragma once

#include "common/launch.h"
#include "random/random.h"

namespace tocha {

enum { WORDS = 4 }; /* in a block of random words */

/* Returns the number of blocks of BLOCK_THREADS threads that draw for n elements. */
inline unsigned drawing_blocks(Stream *stream, long long n) {
  const cudaDeviceProp &p = stream->home().properties;
  long long maximum = p.multiProcessorCount * (p.maxThreadsPerMultiProcessor / BLOCK_THREADS);
  long long wanted = (n + BLOCK_THREADS - 1) / BLOCK_THREADS;
  return static_cast<unsigned>(wanted < maximum ? wanted : maximum);
}

/* Returns the words that each of their threads takes if a block of words serves `served`
 * elements. */
inline uint64_t words_per_thread(long long n, unsigned blocks, int served) {
  long long threads = static_cast<long long>(BLOCK_THREADS) * blocks;
  return static_cast<uint64_t>((n - 1) / (threads * served) + 1) * WORDS;
}

} // namespace tocha
