/* allocator.cpp: the caching allocator of one device's memory.
 *
 * cudaMalloc and cudaFree wait for the GPU, so memory is taken in segments and handed out in
 * blocks. A freed block stays with its stream: later work in the same stream may use it at once,
 * because the GPU runs a stream in order. Other streams get the memory only through the driver.
 * A block that another stream used as well (use_on_stream) waits for that stream's event.
 *
 * The sizes are those of PyTorch's allocator, so that figures can be compared: requests are
 * rounded to 512 bytes; up to 1 MiB they come from segments of 2 MiB, up to 10 MiB from segments
 * of 20 MiB, and larger ones get a segment of their own, rounded to 2 MiB. A block is split if
 * enough is left over, and is joined with its free neighbours again.
 *
 * Memory may belong to a pool (pools.h), which keeps it. While work is captured no call of the driver
 * may wait, so blocks that other streams used, and segments, are given back after the capture.
 *
 * With expandable_segments, memory comes from segments that grow (expandable.h). Their blocks are split
 * and joined as all others.
 *
 * TOCHA_CUDA_CACHE=off passes every request straight to cudaMalloc, so that tools that watch
 * memory (the simulator, compute-sanitizer) see each tensor as an allocation of its own. */
#include "runtime/allocator.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/blocks.h"
#include "runtime/events.h"
#include "runtime/expandable.h"
#include "runtime/graph.h"
#include "runtime/range.h"

namespace tocha {

static constexpr size_t MEDIUM = 10 << 20;

void configure(Allocator *a, const Settings &settings) {
  a->settings = settings;
  a->settings.expandable = settings.expandable && can_map_memory();
  a->statistics.max_split_size = settings.max_split;
  a->statistics.values.max_split_size = static_cast<int64_t>(settings.max_split);
}

const char *warning_of(const Settings &settings) {
  return settings.expandable && !can_map_memory()
             ? "expandable_segments not supported on this platform"
             : "";
}

Settings &settings_of(Allocator *a) { return a->settings; }

Allocator *new_allocator(tocha_backend_state *state, int device, const Settings &settings) {
  auto *a = new (std::nothrow) Allocator();
  if (!a) return nullptr;
  const char *wish = getenv("TOCHA_CUDA_CACHE");
  a->state = state;
  a->device = device;
  configure(a, settings);
  a->direct = wish && strcmp(wish, "off") == 0;
  return a;
}

/* --- statistics ------------------------------------------------------------------------------- */

void statistics(Allocator *a, tocha_device_memory *answer) {
  const tocha_device_statistics s = a->statistics.read();
  const tocha_statistic &allocated = s.figures[TOCHA_FIGURE_ALLOCATED_BYTES][TOCHA_POOL_ALL],
                        &reserved = s.figures[TOCHA_FIGURE_RESERVED_BYTES][TOCHA_POOL_ALL];
  answer->allocated = static_cast<size_t>(allocated.current);
  answer->max_allocated = static_cast<size_t>(allocated.peak);
  answer->reserved = static_cast<size_t>(reserved.current);
  answer->max_reserved = static_cast<size_t>(reserved.peak);
  answer->total = static_cast<size_t>(allocated.allocated);
  answer->allocations =
      static_cast<size_t>(s.figures[TOCHA_FIGURE_ALLOCATION][TOCHA_POOL_ALL].allocated);
  answer->retries = static_cast<size_t>(s.retries);
  answer->exhausted = static_cast<size_t>(s.exhausted);
}

Statistics &statistics_of(Allocator *a) { return a->statistics; }

static tocha_block_state state_of(const Block &b) {
  if (!b.live) return TOCHA_BLOCK_INACTIVE;
  return b.waits ? TOCHA_BLOCK_PENDING : TOCHA_BLOCK_ALLOCATED;
}

void visit_blocks(const Allocator *a, void (*visit)(void *user, const tocha_memory_block *block),
                  void *user) {
  for (const Block &first : a->blocks) {
    if (!first.size || !first.mapped || (first.before && first.before->mapped))
      continue; /* not the first block of a segment */
    for (const Block *b = &first; b && b->mapped; b = b->after) {
      tocha_memory_block block = {a->device,
                                  reinterpret_cast<uintptr_t>(b->data),
                                  b->size,
                                  b->requested,
                                  state_of(*b),
                                  b->stream->handle,
                                  reinterpret_cast<uintptr_t>(first.data),
                                  b->small,
                                  b->range != nullptr,
                                  b->cache->pool ? b->cache->pool->number : 0};
      visit(user, &block);
    }
  }
}

/* --- segments --------------------------------------------------------------------------------- */

static size_t segment_size(const Allocator *a, size_t bytes) {
  if (bytes <= SMALL) return SMALL_SEGMENT;
  if (bytes < MEDIUM) return a->settings.large_segment;
  return round_up(bytes, SMALL_SEGMENT);
}

/* Allocates device memory. Returns nullptr if the GPU is full (sets *exhausted) or the driver
 * failed. */
static char *take_memory(Allocator *a, size_t bytes, bool *exhausted) {
  const Relaxed relaxed;
  void *data = nullptr;
  cudaError_t status = is_allowed(a, bytes) ? cudaMalloc(&data, bytes) : cudaErrorMemoryAllocation;
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    *exhausted = true;
    return nullptr;
  }
  *exhausted = false;
  return check(a->state, status) ? static_cast<char *>(data) : nullptr;
}

static void give_segment(Allocator *a, Block *whole) {
  cudaFree(whole->data);
  a->statistics.give_segment(a->state, whole);
  drop_block(a, whole);
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Tells the simulator about a block, because its check of order works on blocks, not on
 * segments. bytes 0: the block was freed. */
static void say_block(const Block *b, size_t bytes) {
#ifdef TOCHA_SIMULATED
  tocha_simulator_block(b->data, bytes);
#else
  (void)b, (void)bytes;
#endif
}

static void put_back(Allocator *a, Block *b) {
  b->live = false;
  say_block(b, 0);
  a->statistics.settle(a->state, b);
  b->requested = 0;
  put_into_bin(a, b);
}

/* Returns blocks to their caches when their other users are done. wait: waits for all of them. */
static void settle(Allocator *a, bool wait) {
  size_t kept = 0;
  for (Pending p : a->pending) {
    if (wait) cudaEventSynchronize(p.event);
    if (!wait && !has_come(p.event)) {
      a->pending[kept++] = p;
      continue;
    }
    cudaEventDestroy(p.event);
    if (--p.block->waits == 0) put_back(a, p.block);
  }
  a->pending.resize(kept);
}

/* Returns true if the rest of a block after `bytes` is large enough to be a block of its own. */
static bool leaves_rest(const Allocator *a, const Block *b, size_t bytes) {
  if (b->cache->pool && b->cache->pool->no_split) return false;
  const size_t left = b->size - bytes;
  if (b->small || b->range) return left >= UNIT;
  return left > SMALL && b->size < a->settings.max_split;
}

/* Splits off the rest of a block after `bytes`, and puts it into its bin, if it is large enough
 * to keep. */
static void split(Allocator *a, Block *b, size_t bytes) {
  if (!leaves_rest(a, b, bytes)) return;
  if (Block *rest = cut(a, b, bytes)) put_into_bin(a, rest);
}

/* Returns a block of the stream for a request, or nullptr. A block that is not split serves only
 * requests of nearly its size. */
static Block *take_cached(Allocator *a, Cache *cache, size_t bytes) {
  Bins &bins = cache->bins[bytes <= SMALL];
  Block *b = bins.find(bytes);
  const Settings &s = a->settings;
  if (!b || (!b->range && b->size >= s.max_split &&
             (bytes < s.max_split || b->size >= bytes + s.max_non_split_rounding)))
    return nullptr;
  if (leaves_rest(a, b, bytes))
    if (Block *front = cut_front(a, b, bytes)) return front;
  bins.remove(b);
  a->statistics.unbin(b);
  return b;
}

static void empty_bins(Allocator *a, Bins &bins, double keep) {
  for (Block *b = bins.begin(), *next; b && reserved(a) > keep; b = next) {
    next = bins.after(b);
    if (b->range) {
      unmap_block(a, b);
    } else if (!b->before && !b->after) {
      bins.remove(b);
      give_segment(a, b);
    }
  }
}

/* Gives free segments back to the GPU until at most `keep` bytes are reserved. */
static void shrink(Allocator *a, double keep) {
  for (tocha_stream *q = a->state->devices[a->device].streams; q; q = own(q)->following)
    if (own(q)->cache)
      for (Bins &bins : own(q)->cache->bins) empty_bins(a, bins, keep);
}

/* Gives cached memory back before a segment of so many bytes is taken, if that would reserve more than
 * the threshold allows. */
static void collect_cached(Allocator *a, size_t bytes) {
  double limit = a->settings.collection_threshold * allowed(a);
  if (reserved(a) + static_cast<double>(bytes) <= limit) return;
  if (a->state->capture) return;
  settle(a, false);
  shrink(a, limit - static_cast<double>(bytes));
}

/* Takes memory from the GPU. Returns a free block for a request, which is in no bin, or nullptr. */
static Block *take_segment(Allocator *a, Cache *cache, size_t bytes, bool *exhausted) {
  *exhausted = false;
  if (a->settings.expandable && !a->direct) {
    Block *b = grow(a, cache, bytes, exhausted);
    if (b || *exhausted) return b;
  }
  const size_t size = a->direct ? bytes : segment_size(a, bytes);
  char *data = take_memory(a, size, exhausted);
  if (!data) return nullptr;
  Block *b = new_block(a, data, size, cache, bytes <= SMALL);
  if (b) return a->statistics.take_segment(a->state, b), b;
  cudaFree(data);
  return fail(a->state, "memory is exhausted"), nullptr;
}

/* Returns a free block of a pool that lends its memory to a request that would fail, or nullptr. */
static Block *borrow(Allocator *a, const Cache *cache, size_t bytes) {
  if (cache->pool || a->direct) return nullptr;
  for (Pool *pool : a->pools.all) {
    if (!pool->use_on_oom) continue;
    Cache *lender = cache_in(pool, cache->stream);
    if (Block *b = lender ? take_cached(a, lender, bytes) : nullptr) return b;
  }
  return nullptr;
}

static Block *new_segment(Allocator *a, Cache *cache, size_t bytes, bool *exhausted) {
  if (!use_device(a->state, a->device)) return nullptr;
  if (a->settings.collection_threshold > 0)
    collect_cached(a, a->direct ? bytes : segment_size(a, bytes));
  Block *b = take_segment(a, cache, bytes, exhausted);
  if (b || !*exhausted) return b;
  a->statistics.values.retries++;
  empty_cache(a);
  b = take_segment(a, cache, bytes, exhausted);
  if (b || !*exhausted) return b;
  b = borrow(a, cache, bytes);
  *exhausted = !b;
  if (!b) a->statistics.exhaust(a->state, a->device, cache->stream, bytes);
  return b;
}

tocha_block *allocate(Allocator *a, Stream *stream, size_t bytes, bool *exhausted) {
  size_t wanted = a->direct ? bytes : rounded_size(a->settings, bytes);
  *exhausted = false;
  Cache *cache = cache_of(a->pools, stream);
  if (!cache) return fail(a->state, "memory is exhausted"), nullptr;
  if (!a->pending.empty() && !a->state->capture) settle(a, false);
  Block *b = a->direct ? nullptr : take_cached(a, cache, wanted);
  if (!b) b = new_segment(a, cache, wanted, exhausted);
  if (!b) return nullptr;
  b->live = true;
  b->requested = bytes;
  if (!a->direct) {
    split(a, b, wanted);
    say_block(b, b->size);
  }
  a->statistics.allocate(a->state, b);
  return b;
}

void use_on_stream(Stream *stream, tocha_block *block) {
  if (block->stream == stream) return;
  auto &users = static_cast<Block *>(block)->users;
  for (Stream *user : users)
    if (user == stream) return;
  users.push_back(stream);
}

/* Records events after the block's other users; settle() returns the block when they are done.
 * Returns false if there is no event to wait for. */
static bool wait_for_users(Allocator *a, Block *b) {
  for (Stream *user : b->users)
    if (cudaEvent_t event = event_after(user)) {
      a->pending.push_back({b, event});
      b->waits++;
    }
  b->users.clear();
  return b->waits > 0;
}

/* Puts back a block that its owner no longer uses, or its segment. */
static void free_block(Allocator *a, Block *b) {
  const bool whole = a->direct && !b->cache->pool;
  if (a->state->capture && (whole || !b->users.empty())) {
    a->deferred.push_back(b);
  } else if (whole) {
    use_device(a->state, a->device);
    a->statistics.settle(a->state, b);
    give_segment(a, b); /* cudaFree waits for all users */
  } else if (b->users.empty() || !wait_for_users(a, b)) {
    put_back(a, b);
  }
}

void release(tocha_block *block) {
  Block *b = static_cast<Block *>(block);
  Allocator *a = own(b->stream)->home().allocator;
  a->statistics.release(a->state, b);
  free_block(a, b);
}

/* --- pools -------------------------------------------------------------------------------------- */

Pools &pools_of(Allocator *a) { return a->pools; }

/* Makes later work of a stream wait for all work of its device. */
static void wait_for_all(Allocator *a, Stream *stream) {
  for (tocha_stream *q = a->state->devices[a->device].streams; q; q = own(q)->following) {
    cudaEvent_t event = q == stream ? nullptr : event_after(own(q));
    if (!event) continue;
    cudaStreamWaitEvent(stream->cuda(), event, 0);
    cudaEventDestroy(event);
  }
}

/* Gives the blocks of a pool to the ordinary caches of their streams. Work of any stream may still
 * use them. */
static void dissolve(Allocator *a, const Pool *pool) {
  for (const Cache *cache = pool->caches; cache; cache = cache->following)
    wait_for_all(a, cache->stream);
  for (Block &b : a->blocks) {
    if (!b.size || b.cache->pool != pool) continue;
    if (!b.live) bins_of(&b).remove(&b);
    b.cache = own(b.stream)->cache;
    if (b.live)
      for (tocha_stream *q = a->state->devices[a->device].streams; q; q = own(q)->following)
        use_on_stream(own(q), &b);
    else if (a->direct)
      give_segment(a, &b);
    else
      bins_of(&b).insert(&b);
  }
}

void settle_pools(Allocator *a) {
  if (a->state->capture) return;
  std::vector<Block *> deferred;
  deferred.swap(a->deferred);
  for (Block *b : deferred) free_block(a, b);
  while (Pool *unused = take_unused(a->pools)) {
    dissolve(a, unused);
    delete_pool(unused);
  }
}

void open_to_peer(Allocator *a, int other) {
  for (Range *range : a->ranges) open_range(range, other);
}

void empty_cache(Allocator *a) {
  if (a->state->capture) return;
  a->statistics.values.waits_for_all_streams++;
  settle(a, true);
  shrink(a, 0);
}

void delete_allocator(Allocator *a) {
  if (!a) return;
  settle(a, true);
  for (Block &b : a->blocks)
    if (b.size && !b.before && !b.range) cudaFree(b.data); /* the first block of a segment */
  for (Range *range : a->ranges) delete_range(range);
  delete_pools(a->pools);
  for (tocha_stream *q = a->state->devices[a->device].streams; q; q = own(q)->following) {
    delete own(q)->cache;
    own(q)->cache = nullptr;
  }
  delete a;
}

} // namespace tocha
