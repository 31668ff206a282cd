/* expandable.h: segments that grow and shrink (PyTorch's expandable_segments). Such a segment is a range
 * of addresses; a request gets only the pages that it lacks, so that batches that grow do not leave
 * segments behind that are just too small. */
#pragma once

#include "runtime/blocks.h"

namespace tocha {

/* Returns a free block of at least `bytes` that is in no bin, of a range of the cache to which memory is
 * mapped as far as it has none. Returns nullptr if the GPU is full (sets *exhausted), or if addresses or
 * memory of the host are short. */
Block *grow(Allocator *a, Cache *cache, size_t bytes, bool *exhausted);
/* Gives the whole pages of a free block of a range back, and the range if nothing of it is left. */
void unmap_block(Allocator *a, Block *b);

} // namespace tocha
