/* memory.c: aligned memory. A page has no huge pages, and does not say how much memory there is. */
#include <stdlib.h>

#include "platform/platform.h"

/* C11 wants a multiple of the alignment. */
void platform_trim_memory(void) {}

void *platform_allocate_aligned(size_t alignment, size_t bytes) {
  size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  return rounded < bytes ? NULL : aligned_alloc(alignment, rounded);
}

uint64_t platform_free_memory(void) { return 0; }

uint64_t platform_address_space(void) { return UINT64_MAX; }

bool platform_use_huge_pages(void *start, size_t bytes, bool wanted) {
  (void)start, (void)bytes, (void)wanted;
  return false;
}
