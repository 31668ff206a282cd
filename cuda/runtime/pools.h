/* pools.h: pools of memory that only some allocations use: those of a capture, or those within
 * torch.cuda.use_mem_pool. A pool has a number, by which graphs share it, and lives as long as it
 * has users. Its free memory goes to nobody else. */
#pragma once

#include <vector>

#include "runtime/statistics.h"

namespace tocha {

struct Pool {
  uint64_t number;
  int users;
  Cache *caches;    /* one per stream */
  Counter reserved; /* bytes taken from the GPU */
  bool use_on_oom;  /* lends free memory to allocations that would fail */
  bool no_split;    /* keeps its segments whole */
};

/* Sends allocations to a pool: those of streams that take part in a capture, or all. */
struct Route {
  Pool *pool;
  bool captured;
};

struct Pools {
  std::vector<Pool *> all;
  std::vector<Route> routes; /* the last one that applies counts */
};

/* Begin the peaks, or the sums, of all pools anew. */
void reset_peaks(Pools &pools);
void reset_sums(Pools &pools);

Pools &pools_of(Allocator *allocator); /* allocator.cpp */

/* Returns the pool of that number, which is created if it is missing, with one more user. */
Pool *retain_pool(Pools &pools, uint64_t number);
/* Takes a user away. The caller then calls settle_pools. */
void release_pool(Pool *pool);
/* Returns the number of users, 0 if there is no such pool. */
int pool_users(const Pools &pools, uint64_t number);
void add_route(Pools &pools, Pool *pool, bool captured);
void remove_route(Pools &pools, const Pool *pool, bool captured);
/* Returns the cache that an allocation of the stream uses, or nullptr if memory of the host is
 * short. */
Cache *cache_of(Pools &pools, Stream *stream);
/* Returns the stream's cache in a pool, or nullptr if memory of the host is short. */
Cache *cache_in(Pool *pool, Stream *stream);
/* Removes and returns a pool without users, or returns nullptr. */
Pool *take_unused(Pools &pools);
void delete_pool(Pool *pool);
void delete_pools(Pools &pools);

} // namespace tocha
