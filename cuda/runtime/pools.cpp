/* pools.cpp: finds the cache of an allocation, and counts the users of pools. */
#include "runtime/pools.h"

#include <algorithm>
#include <new>

#include "runtime/graph.h"

namespace tocha {

static Pool *find_pool(const Pools &pools, uint64_t number) {
  for (Pool *pool : pools.all)
    if (pool->number == number) return pool;
  return nullptr;
}

void reset_peaks(Pools &pools) {
  for (Pool *pool : pools.all) pool->reserved.reset_peak();
}

void reset_sums(Pools &pools) {
  for (Pool *pool : pools.all) pool->reserved.reset_sums();
}

Pool *retain_pool(Pools &pools, uint64_t number) {
  Pool *pool = find_pool(pools, number);
  if (!pool) pools.all.push_back(pool = new Pool{number, 0, nullptr, {}, false, false});
  pool->users++;
  return pool;
}

void release_pool(Pool *pool) { pool->users--; }

int pool_users(const Pools &pools, uint64_t number) {
  const Pool *pool = find_pool(pools, number);
  return pool ? pool->users : 0;
}

void add_route(Pools &pools, Pool *pool, bool captured) {
  pools.routes.push_back({pool, captured});
}

void remove_route(Pools &pools, const Pool *pool, bool captured) {
  for (size_t i = pools.routes.size(); i-- > 0;)
    if (pools.routes[i].pool == pool && pools.routes[i].captured == captured) {
      pools.routes.erase(pools.routes.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
}

static Cache *new_cache(Stream *stream, Pool *pool) {
  auto *cache = new (std::nothrow) Cache();
  if (!cache) return nullptr;
  cache->stream = stream;
  cache->pool = pool;
  return cache;
}

Cache *cache_in(Pool *pool, Stream *stream) {
  for (Cache *cache = pool->caches; cache; cache = cache->following)
    if (cache->stream == stream) return cache;
  Cache *cache = new_cache(stream, pool);
  if (!cache) return nullptr;
  cache->following = pool->caches;
  return pool->caches = cache;
}

Cache *cache_of(Pools &pools, Stream *stream) {
  if (!stream->cache) stream->cache = new_cache(stream, nullptr);
  if (!stream->cache) return nullptr;
  for (size_t i = pools.routes.size(); i-- > 0;)
    if (!pools.routes[i].captured || is_captured(stream))
      return cache_in(pools.routes[i].pool, stream);
  return stream->cache;
}

Pool *take_unused(Pools &pools) {
  auto found = std::find_if(pools.all.begin(), pools.all.end(),
                            [](const Pool *pool) { return pool->users == 0; });
  if (found == pools.all.end()) return nullptr;
  Pool *pool = *found;
  pools.all.erase(found);
  return pool;
}

void delete_pool(Pool *pool) {
  while (Cache *cache = pool->caches) {
    pool->caches = cache->following;
    delete cache;
  }
  delete pool;
}

void delete_pools(Pools &pools) {
  for (Pool *pool : pools.all) delete_pool(pool);
  pools.all.clear();
}

} // namespace tocha
