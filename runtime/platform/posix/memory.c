/* memory.c: aligned memory, huge pages, and how much memory there is. */
#define _DEFAULT_SOURCE /* madvise */
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/sysinfo.h>
#endif

#include "platform/platform.h"

void *platform_allocate_aligned(size_t alignment, size_t bytes) {
  void *block;
  return posix_memalign(&block, alignment, bytes) == 0 ? block : NULL;
}

void platform_trim_memory(void) {
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  malloc_trim(
      0); /* with a sanitizer, which allocates itself, glibc's allocator does not count its threads */
#endif
}

uint64_t platform_free_memory(void) {
#ifdef __linux__
  struct sysinfo info;
  if (sysinfo(&info) == 0) return (uint64_t)info.freeram * info.mem_unit;
#endif
  return 0;
}

uint64_t platform_address_space(void) {
  struct rlimit space;
  bool limited = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
  return limited ? (uint64_t)space.rlim_cur : UINT64_MAX;
}

bool platform_use_huge_pages(void *start, size_t bytes, bool wanted) {
#ifdef MADV_HUGEPAGE
  return madvise(start, bytes, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
#else
  (void)start, (void)bytes, (void)wanted;
  return false;
#endif
}
