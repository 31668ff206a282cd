/* blocks.h: what the files of the caching allocator share: its state, and the blocks that segments
 * consist of. */
#pragma once

#include <deque>
#include <vector>

#include "runtime/bins.h"
#include "runtime/pools.h"
#include "runtime/settings.h"
#include "runtime/statistics.h"

namespace tocha {

static constexpr size_t SMALL = 1 << 20, SMALL_SEGMENT = 2 << 20;

inline size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

struct Range; /* range.h */

/* A freed block that other streams may still be using. */
struct Pending {
  Block *block;
  cudaEvent_t event;
};

struct Allocator {
  tocha_backend_state *state;
  int device;
  bool direct;              /* TOCHA_CUDA_CACHE=off */
  std::deque<Block> blocks; /* all blocks ever in use at the same time */
  Block *spare;             /* blocks in no segment (size 0), linked by `following` */
  std::vector<Pending> pending;
  std::vector<Block *> deferred; /* freed during a capture */
  std::vector<Range *> ranges;   /* the segments that grow */
  Pools pools;
  Statistics statistics;
  Settings settings;
};

/* Bytes that were taken from the GPU. */
double reserved(const Allocator *a);
/* Bytes that may be taken from the GPU. */
double allowed(const Allocator *a);
/* Returns true if so many more bytes may be taken from the GPU. */
bool is_allowed(const Allocator *a, size_t bytes);

/* Returns a block that is in no segment yet, or nullptr if memory of the host is short. */
Block *new_block(Allocator *a, char *data, size_t size, Cache *cache, bool small);
void drop_block(Allocator *a, Block *b);

/* Returns the bins for free blocks of this kind. */
inline Bins &bins_of(const Block *b) {
  return b->mapped ? b->cache->bins[b->small] : b->cache->holes[b->small];
}
/* Cuts a block that is in no bin after `bytes`. Returns the rest, which is in no bin either, or nullptr if
 * memory of the host is short. */
Block *cut(Allocator *a, Block *b, size_t bytes);
/* Takes the first `bytes` of a free block, which keeps the rest, and usually its place in its bin. Returns
 * them as a block that is in no bin, or nullptr if memory of the host is short. */
Block *cut_front(Allocator *a, Block *rest, size_t bytes);
/* Joins a block that is in no bin with the neighbours that are free as it is. Returns the block that it is
 * part of then, which is in its bin. */
Block *put_into_bin(Allocator *a, Block *b);

} // namespace tocha
