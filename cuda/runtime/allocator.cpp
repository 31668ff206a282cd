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
 * TOCHA_CUDA_CACHE=off passes every request straight to cudaMalloc, so that tools that watch
 * memory (the simulator, compute-sanitizer) see each tensor as an allocation of its own. */
#include "runtime/allocator.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>

#include "runtime/bins.h"
#include "runtime/events.h"
#include "runtime/graph.h"
#include "runtime/pools.h"

namespace tocha {

static constexpr size_t SMALL = 1 << 20, SMALL_SEGMENT = 2 << 20, MEDIUM = 10 << 20,
                        MEDIUM_SEGMENT = 20 << 20;

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
  Pools pools;
  tocha_device_memory figures;
};

Allocator *new_allocator(tocha_backend_state *state, int device) {
  auto *a = new (std::nothrow) Allocator();
  if (!a) return nullptr;
  const char *wish = getenv("TOCHA_CUDA_CACHE");
  a->state = state;
  a->device = device;
  a->direct = wish && strcmp(wish, "off") == 0;
  return a;
}

/* --- statistics ------------------------------------------------------------------------------- */

static void count(size_t &now, size_t &peak, size_t bytes) {
  now += bytes;
  if (now > peak) peak = now;
}

void statistics(Allocator *a, tocha_device_memory *answer) { *answer = a->figures; }

void reset_peak(Allocator *a) {
  a->figures.max_allocated = a->figures.allocated;
  a->figures.max_reserved = a->figures.reserved;
}

/* --- segments --------------------------------------------------------------------------------- */

static size_t rounded(size_t bytes) {
  return bytes < UNIT ? UNIT : (bytes + UNIT - 1) / UNIT * UNIT;
}

static size_t segment_size(size_t bytes) {
  if (bytes <= SMALL) return SMALL_SEGMENT;
  if (bytes < MEDIUM) return MEDIUM_SEGMENT;
  return (bytes + SMALL_SEGMENT - 1) / SMALL_SEGMENT * SMALL_SEGMENT;
}

/* Allocates device memory. Returns nullptr if the GPU is full (sets *exhausted) or the driver
 * failed. */
static char *take_memory(Allocator *a, size_t bytes, bool *exhausted) {
  const Relaxed relaxed;
  void *data = nullptr;
  cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    *exhausted = true;
    return nullptr;
  }
  *exhausted = false;
  if (!check(a->state, status)) return nullptr;
  count(a->figures.reserved, a->figures.max_reserved, bytes);
  return static_cast<char *>(data);
}

/* Returns a block that is in no segment yet, or nullptr if memory of the host is short. */
static Block *new_block(Allocator *a, char *data, size_t size, Cache *cache, bool small) {
  Block *b = a->spare;
  if (b) {
    a->spare = b->following;
  } else {
    try {
      b = &a->blocks.emplace_back();
    } catch (const std::bad_alloc &) {
      return nullptr;
    }
  }
  b->data = data;
  b->stream = cache->stream;
  b->cache = cache;
  b->size = size;
  b->small = small;
  b->live = false;
  b->waits = 0;
  b->users.clear();
  b->before = b->after = nullptr;
  return b;
}

static void drop_block(Allocator *a, Block *b) {
  b->size = 0;
  b->following = a->spare;
  a->spare = b;
}

static void give_memory(Allocator *a, void *data, size_t bytes) {
  cudaFree(data);
  a->figures.reserved -= bytes;
}

static void give_segment(Allocator *a, Block *whole) {
  give_memory(a, whole->data, whole->size);
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

static Bins &bins_of(const Block *b) { return b->cache->bins[b->small]; }

/* Joins `b` with a free neighbour, which leaves its bin. */
static void join(Allocator *a, Block *b, Block *neighbour) {
  if (!neighbour || neighbour->live) return;
  bins_of(neighbour).remove(neighbour);
  if (neighbour == b->before) {
    b->data = neighbour->data;
    b->before = neighbour->before;
    if (b->before) b->before->after = b;
  } else {
    b->after = neighbour->after;
    if (b->after) b->after->before = b;
  }
  b->size += neighbour->size;
  drop_block(a, neighbour);
}

static void put_back(Allocator *a, Block *b) {
  b->live = false;
  say_block(b, 0);
  join(a, b, b->before);
  join(a, b, b->after);
  bins_of(b).insert(b);
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

/* Splits off the rest of a block after `bytes`, and puts it into its bin, if it is large enough
 * to keep. */
static void split(Allocator *a, Block *b, size_t bytes) {
  size_t left = b->size - bytes;
  if (b->small ? left < UNIT : left <= SMALL) return;
  Block *rest = new_block(a, b->start() + bytes, left, b->cache, b->small);
  if (!rest) return;
  rest->before = b;
  rest->after = b->after;
  if (b->after) b->after->before = rest;
  b->after = rest;
  b->size = bytes;
  bins_of(rest).insert(rest);
}

static Block *new_segment(Allocator *a, Cache *cache, size_t bytes, bool *exhausted) {
  size_t size = a->direct ? bytes : segment_size(bytes);
  if (!use_device(a->state, a->device)) return nullptr;
  char *data = take_memory(a, size, exhausted);
  if (!data && *exhausted) {
    a->figures.retries++;
    empty_cache(a);
    data = take_memory(a, size, exhausted);
    if (!data && *exhausted) a->figures.exhausted++;
  }
  Block *b = data ? new_block(a, data, size, cache, bytes <= SMALL) : nullptr;
  if (!data || b) return b;
  give_memory(a, data, size);
  return fail(a->state, "memory is exhausted"), nullptr;
}

tocha_block *allocate(Allocator *a, Stream *stream, size_t bytes, bool *exhausted) {
  size_t wanted = a->direct ? bytes : rounded(bytes);
  *exhausted = false;
  Cache *cache = cache_of(a->pools, stream);
  if (!cache) return fail(a->state, "memory is exhausted"), nullptr;
  if (!a->pending.empty() && !a->state->capture) settle(a, false);
  Block *b = a->direct ? nullptr : cache->bins[wanted <= SMALL].take(wanted);
  if (!b) b = new_segment(a, cache, wanted, exhausted);
  if (!b) return nullptr;
  b->live = true;
  if (!a->direct) {
    split(a, b, wanted);
    say_block(b, b->size);
  }
  a->figures.allocations++;
  a->figures.total += b->size;
  count(a->figures.allocated, a->figures.max_allocated, b->size);
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
    give_segment(a, b); /* cudaFree waits for all users */
  } else if (b->users.empty() || !wait_for_users(a, b)) {
    put_back(a, b);
  }
}

void release(tocha_block *block) {
  Block *b = static_cast<Block *>(block);
  Allocator *a = own(b->stream)->home().allocator;
  a->figures.allocated -= b->size;
  free_block(a, b);
}

/* --- pools -------------------------------------------------------------------------------------- */

Pools &pools_of(Allocator *a) { return a->pools; }

/* Gives the blocks of a pool to the ordinary caches of their streams. Work of any stream may still
 * use them. */
static void dissolve(Allocator *a, const Pool *pool) {
  for (Block &b : a->blocks) {
    if (!b.size || b.cache->pool != pool) continue;
    const bool was_free = !b.live;
    if (was_free) bins_of(&b).remove(&b);
    b.live = true;
    b.cache = own(b.stream)->cache;
    for (tocha_stream *q = a->state->devices[a->device].streams; q; q = own(q)->following)
      use_on_stream(own(q), &b);
    if (was_free) free_block(a, &b);
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

static void empty_bins(Allocator *a, Bins &bins) {
  for (Block *b = bins.begin(), *next; b; b = next) {
    next = bins.after(b);
    if (b->before || b->after) continue;
    bins.remove(b);
    give_segment(a, b);
  }
}

void empty_cache(Allocator *a) {
  if (a->state->capture) return;
  settle(a, true);
  for (tocha_stream *q = a->state->devices[a->device].streams; q; q = own(q)->following)
    if (own(q)->cache)
      for (Bins &bins : own(q)->cache->bins) empty_bins(a, bins);
}

void delete_allocator(Allocator *a) {
  if (!a) return;
  settle(a, true);
  for (Block &b : a->blocks)
    if (b.size && !b.before) cudaFree(b.data); /* the first block of a segment */
  delete_pools(a->pools);
  for (tocha_stream *q = a->state->devices[a->device].streams; q; q = own(q)->following) {
    delete own(q)->cache;
    own(q)->cache = nullptr;
  }
  delete a;
}

} // namespace tocha
