/* allocator.cpp: the caching allocator of one device's memory.
 *
 * cudaMalloc waits for the GPU and cudaFree does too, so memory is taken in segments and handed
 * out in blocks. A freed block stays with its stream: work that comes later in the same stream may
 * use it at once, since the GPU does things in order; other streams get it only from the driver. A
 * block that another stream used as well (use_on_stream) waits for that stream's event.
 *
 * The sizes are those of PyTorch's allocator, so that figures compare: requests are rounded to 512
 * bytes; up to 1 MiB they come from segments of 2 MiB, up to 10 MiB from segments of 20 MiB, and
 * above they get a segment of their own, rounded to 2 MiB. A block is split where enough is left
 * over, and joins its free neighbours again.
 *
 * TOCHA_CUDA_CACHE=off sends every request straight to cudaMalloc, so that tools that watch memory
 * (the simulator, compute-sanitizer) see each tensor as an allocation of its own. */
#include "runtime/allocator.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <unordered_map>
#include <vector>

namespace tocha {

static constexpr size_t UNIT = 512, SMALL = 1 << 20, SMALL_SEGMENT = 2 << 20, MEDIUM = 10 << 20,
                        MEDIUM_SEGMENT = 20 << 20;

struct Block {
  char *data;
  size_t size;
  Stream *stream; /* whose cache it returns to */
  bool small, live;
  int waits;                   /* events of other users that have not come */
  Block *before, *after;       /* neighbours in the segment */
  std::vector<Stream *> users; /* other streams that used it */
};

struct BySize {
  bool operator()(const Block *a, const Block *b) const {
    return a->size != b->size ? a->size < b->size : a->data < b->data;
  }
};

/* A freed block that other streams may still be using. */
struct Pending {
  Block *block;
  cudaEvent_t event;
};

struct Cache {
  std::set<Block *, BySize> blocks[2]; /* large, small */
};

struct Allocator {
  tocha_backend_state *state;
  int device;
  bool direct; /* TOCHA_CUDA_CACHE=off */
  std::unordered_map<void *, Block *> live;
  std::unordered_map<Stream *, Cache> caches;
  std::vector<Pending> pending;
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

/* --- figures ---------------------------------------------------------------------------------- */

static void count(size_t &now, size_t &most, size_t bytes) {
  now += bytes;
  if (now > most) most = now;
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

/* nullptr when the GPU is full (*exhausted) or the driver failed. */
static char *take_memory(Allocator *a, size_t bytes, bool *exhausted) {
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

static void give_memory(Allocator *a, Block *whole) {
  cudaFree(whole->data);
  a->figures.reserved -= whole->size;
  delete whole;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* The simulator's check of order looks at blocks, not at the segments they lie in. bytes 0: no
 * more. */
static void say_block(const Block *b, size_t bytes) {
#ifdef TOCHA_SIMULATED
  tocha_simulator_block(b->data, bytes);
#else
  (void)b, (void)bytes;
#endif
}

static std::set<Block *, BySize> &cache_of(Allocator *a, const Block *b) {
  return a->caches[b->stream].blocks[b->small];
}

/* Joins `b` with a free neighbour, which leaves the cache. */
static void join(Allocator *a, Block *b, Block *neighbour) {
  if (!neighbour || neighbour->live) return;
  cache_of(a, neighbour).erase(neighbour);
  if (neighbour == b->before) {
    b->data = neighbour->data;
    b->before = neighbour->before;
    if (b->before) b->before->after = b;
  } else {
    b->after = neighbour->after;
    if (b->after) b->after->before = b;
  }
  b->size += neighbour->size;
  delete neighbour;
}

static void put_back(Allocator *a, Block *b) {
  b->live = false;
  say_block(b, 0);
  join(a, b, b->before);
  join(a, b, b->after);
  cache_of(a, b).insert(b);
}

/* Blocks whose other users are done return to their caches. wait: for all of them. */
static void settle(Allocator *a, bool wait) {
  size_t kept = 0;
  for (Pending p : a->pending) {
    if (wait) cudaEventSynchronize(p.event);
    if (!wait && cudaEventQuery(p.event) == cudaErrorNotReady) {
      cudaGetLastError();
      a->pending[kept++] = p;
      continue;
    }
    cudaEventDestroy(p.event);
    if (--p.block->waits == 0) put_back(a, p.block);
  }
  a->pending.resize(kept);
}

static Block *find(Allocator *a, Stream *stream, size_t bytes) {
  auto &blocks = a->caches[stream].blocks[bytes <= SMALL];
  Block wanted = {};
  wanted.size = bytes;
  auto found = blocks.lower_bound(&wanted);
  if (found == blocks.end()) return nullptr;
  Block *b = *found;
  blocks.erase(found);
  return b;
}

/* What a request leaves over goes back into the cache where it is worth keeping. */
static void split(Allocator *a, Block *b, size_t bytes) {
  size_t left = b->size - bytes;
  if (b->small ? left < UNIT : left <= SMALL) return;
  auto *rest = new (std::nothrow)
      Block{b->data + bytes, left, b->stream, b->small, false, 0, b, b->after, {}};
  if (!rest) return;
  if (b->after) b->after->before = rest;
  b->after = rest;
  b->size = bytes;
  cache_of(a, rest).insert(rest);
}

static Block *new_segment(Allocator *a, Stream *stream, size_t bytes, bool *exhausted) {
  size_t size = a->direct ? bytes : segment_size(bytes);
  char *data = take_memory(a, size, exhausted);
  if (!data && *exhausted) {
    a->figures.retries++;
    empty_cache(a);
    data = take_memory(a, size, exhausted);
    if (!data && *exhausted) a->figures.exhausted++;
  }
  if (!data) return nullptr;
  return new Block{data, size, stream, bytes <= SMALL, false, 0, nullptr, nullptr, {}};
}

void *allocate(Allocator *a, Stream *stream, size_t bytes, bool *exhausted) {
  size_t wanted = a->direct ? bytes : rounded(bytes);
  *exhausted = false;
  if (!a->pending.empty()) settle(a, false);
  Block *b = a->direct ? nullptr : find(a, stream, wanted);
  if (!b) b = new_segment(a, stream, wanted, exhausted);
  if (!b) return nullptr;
  b->live = true;
  if (!a->direct) {
    split(a, b, wanted);
    say_block(b, b->size);
  }
  a->live[b->data] = b;
  a->figures.allocations++;
  a->figures.total += b->size;
  count(a->figures.allocated, a->figures.max_allocated, b->size);
  return b->data;
}

void use_on_stream(Allocator *a, Stream *stream, void *data) {
  auto found = a->live.find(data);
  if (found == a->live.end() || found->second->stream == stream) return;
  auto &users = found->second->users;
  for (Stream *user : users)
    if (user == stream) return;
  users.push_back(stream);
}

/* Notes how far the block's other users have come; settle() gives it back when they are done. */
static bool wait_for_users(Allocator *a, Block *b) {
  for (Stream *user : b->users) {
    cudaEvent_t event;
    if (!use_device(a->state, user->device) ||
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess)
      break;
    cudaEventRecord(event, user->cuda());
    a->pending.push_back({b, event});
    b->waits++;
  }
  b->users.clear();
  return b->waits > 0;
}

void release(Allocator *a, Stream *, void *data) {
  auto found = a->live.find(data);
  if (found == a->live.end()) return;
  Block *b = found->second;
  a->live.erase(found);
  a->figures.allocated -= b->size;
  use_device(a->state, a->device);
  if (a->direct) {
    give_memory(a, b); /* cudaFree waits for whoever uses it */
  } else if (b->users.empty() || !wait_for_users(a, b)) {
    put_back(a, b);
  }
}

void empty_cache(Allocator *a) {
  settle(a, true);
  for (auto &entry : a->caches)
    for (auto &blocks : entry.second.blocks)
      for (auto i = blocks.begin(); i != blocks.end();) {
        Block *b = *i;
        bool whole = !b->before && !b->after;
        i = whole ? blocks.erase(i) : std::next(i);
        if (whole) give_memory(a, b);
      }
}

void delete_allocator(Allocator *a) {
  if (!a) return;
  std::vector<void *> left;
  for (auto &entry : a->live) left.push_back(entry.first);
  for (void *data : left) release(a, nullptr, data);
  empty_cache(a);
  delete a;
}

} // namespace tocha
