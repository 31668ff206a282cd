/* blocks.cpp: makes, cuts and joins blocks. */
#include "runtime/blocks.h"

#include <new>

namespace tocha {

/* --- limits ------------------------------------------------------------------------------------- */

double reserved(const Allocator *a) {
  return static_cast<double>(a->statistics.current(TOCHA_FIGURE_RESERVED_BYTES));
}

double allowed(const Allocator *a) {
  size_t all = a->state->devices[a->device].properties.totalGlobalMem;
  return a->settings.fraction * static_cast<double>(all);
}

bool is_allowed(const Allocator *a, size_t bytes) {
  return a->settings.fraction >= 1 || reserved(a) + static_cast<double>(bytes) <= allowed(a);
}

/* --- blocks ------------------------------------------------------------------------------------- */

Block *new_block(Allocator *a, char *data, size_t size, Cache *cache, bool small) {
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
  b->requested = 0;
  b->small = small;
  b->live = false;
  b->mapped = true;
  b->range = nullptr;
  b->waits = 0;
  b->users.clear();
  b->before = b->after = nullptr;
  return b;
}

void drop_block(Allocator *a, Block *b) {
  b->size = 0;
  b->following = a->spare;
  a->spare = b;
}

Block *cut(Allocator *a, Block *b, size_t bytes) {
  Block *rest = new_block(a, b->start() + bytes, b->size - bytes, b->cache, b->small);
  if (!rest) return nullptr;
  rest->range = b->range;
  rest->mapped = b->mapped;
  rest->before = b;
  rest->after = b->after;
  if (b->after) b->after->before = rest;
  b->after = rest;
  b->size = bytes;
  return rest;
}

Block *cut_front(Allocator *a, Block *rest, size_t bytes) {
  Block *front = new_block(a, rest->start(), bytes, rest->cache, rest->small);
  if (!front) return nullptr;
  a->statistics.unbin(rest);
  front->range = rest->range;
  front->mapped = rest->mapped;
  front->before = rest->before;
  front->after = rest;
  if (front->before) front->before->after = front;
  rest->before = front;
  rest->data = rest->start() + bytes;
  bins_of(rest).resize(rest, rest->size - bytes);
  a->statistics.bin(rest);
  return front;
}

/* Returns true if a neighbour is free as `b` is. */
static bool can_join(const Block *b, const Block *neighbour) {
  return neighbour && !neighbour->live && neighbour->mapped == b->mapped;
}

/* Gives the memory of the block before `b` to `b`, whose size counts it already. */
static void absorb_before(Allocator *a, Block *b) {
  Block *before = b->before;
  b->data = before->data;
  b->before = before->before;
  if (b->before) b->before->after = b;
  drop_block(a, before);
}

Block *put_into_bin(Allocator *a, Block *b) {
  Block *before = b->before, *after = b->after;
  if (can_join(b, before)) {
    bins_of(before).remove(before);
    a->statistics.unbin(before);
    b->size += before->size;
    absorb_before(a, b);
  }
  if (!can_join(b, after)) {
    bins_of(b).insert(b);
    a->statistics.bin(b);
    return b;
  }
  a->statistics.unbin(after);
  bins_of(after).resize(after, after->size + b->size); /* usually keeps its place */
  absorb_before(a, after);
  a->statistics.bin(after);
  return after;
}

} // namespace tocha
