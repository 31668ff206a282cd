/* expandable.cpp: see expandable.h. The blocks of a range cover all of it. Those without memory are its
 * holes: whole pages, in bins of their own. */
#include "runtime/expandable.h"

#include <algorithm>

#include "runtime/graph.h"
#include "runtime/range.h"

namespace tocha {

/* --- growing ------------------------------------------------------------------------------------ */

/* Adds a range to a cache. Returns its hole, nullptr if there are no addresses. */
static Block *add_range(Allocator *a, Cache *cache, bool small) {
  Range *range = new_range(a->state, a->device, small ? SMALL_SEGMENT : a->settings.large_segment);
  Block *b = range ? new_block(a, range->data, range->bytes, cache, small) : nullptr;
  if (!b) {
    if (range) delete_range(range);
    return nullptr;
  }
  a->ranges.push_back(range);
  b->range = range;
  b->mapped = false;
  put_into_bin(a, b);
  return b;
}

/* Returns the first of free blocks and holes one after the other, in which `bytes` have room, or nullptr. */
static Block *find_room(const Cache *cache, size_t bytes, bool small) {
  const Bins &holes = cache->holes[small];
  for (Block *hole = holes.begin(); hole; hole = holes.after(hole)) {
    Block *first = hole->before && !hole->before->live ? hole->before : hole;
    size_t room = 0;
    for (Block *b = first; b && !b->live && room < bytes; b = b->after) room += b->size;
    if (room >= bytes) return first;
  }
  return nullptr;
}

/* Maps memory to the first `bytes` of a hole, rounded to pages. Returns the free block that they are
 * part of then. */
static Block *fill(Allocator *a, Block *hole, size_t bytes, bool *exhausted) {
  Range *range = hole->range;
  const size_t size = round_up(bytes, range->page);
  const Relaxed relaxed;
  *exhausted = !is_allowed(a, size);
  if (*exhausted) return nullptr;
  bins_of(hole).remove(hole);
  Block *rest = size < hole->size ? cut(a, hole, size) : nullptr;
  hole->mapped = hole->size == size && map_pages(range, hole->start(), size, exhausted);
  if (rest) bins_of(rest).insert(rest);
  if (hole->mapped) a->statistics.map(a->state, hole);
  const bool filled = hole->mapped;
  Block *whole = put_into_bin(a, hole);
  return filled ? whole : nullptr;
}

Block *grow(Allocator *a, Cache *cache, size_t bytes, bool *exhausted) {
  const bool small = bytes <= SMALL;
  if (bytes > a->state->devices[a->device].properties.totalGlobalMem) return nullptr;
  Block *b = find_room(cache, bytes, small);
  if (!b) b = add_range(a, cache, small);
  if (b && !b->mapped) b = fill(a, b, std::min(bytes, b->size), exhausted);
  while (b && b->size < bytes)
    b = fill(a, b->after, std::min(bytes - b->size, b->after->size), exhausted);
  if (b) bins_of(b).remove(b);
  return b;
}

/* --- shrinking ---------------------------------------------------------------------------------- */

static void drop_range(Allocator *a, Block *hole) {
  bins_of(hole).remove(hole);
  a->ranges.erase(std::find(a->ranges.begin(), a->ranges.end(), hole->range));
  delete_range(hole->range);
  drop_block(a, hole);
}

/* Cuts the part of a free block of a range out that is whole pages. Returns it, in no bin, or nullptr. */
static Block *take_pages(Allocator *a, Block *b) {
  const Range *range = b->range;
  const size_t start = static_cast<size_t>(b->start() - range->data),
               low = round_up(start, range->page),
               high = (start + b->size) / range->page * range->page;
  if (low >= high) return nullptr;
  bins_of(b).remove(b);
  Block *pages = low > start ? cut(a, b, low - start) : b;
  if (pages != b) bins_of(b).insert(b);
  if (!pages || pages->size == high - low) return pages;
  Block *rest = cut(a, pages, high - low);
  if (rest) return bins_of(rest).insert(rest), pages;
  put_into_bin(a, pages); /* memory of the host is short */
  return nullptr;
}

void unmap_block(Allocator *a, Block *b) {
  Block *pages = take_pages(a, b);
  if (!pages) return;
  /* unlike cudaFree, the driver does not wait for the work that used them */
  cudaStreamSynchronize(own(pages->stream)->cuda());
  unmap_pages(pages->range, pages->start(), pages->size);
  a->statistics.unmap(a->state, pages);
  pages->mapped = false;
  pages = put_into_bin(a, pages);
  if (!pages->before && !pages->after) drop_range(a, pages);
}

} // namespace tocha
