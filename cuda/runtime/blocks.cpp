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

/* Joins `b` with a neighbour that is free as it is, which leaves its bin. */
static void join(Allocator *a, Block *b, Block *neighbour) {
  if (!neighbour || neighbour->live || neighbour->mapped != b->mapped) return;
  bins_of(neighbour).remove(neighbour);
  a->statistics.unbin(neighbour);
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

void put_into_bin(Allocator *a, Block *b) {
  join(a, b, b->before);
  join(a, b, b->after);
  bins_of(b).insert(b);
  a->statistics.bin(b);
}

} // namespace tocha
