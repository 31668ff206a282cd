/* huge_pages.c: backs large blocks by pages of 2 MiB while these are cheap. */
#define _DEFAULT_SOURCE /* madvise */
#include "core/huge_pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__linux__) && defined(MADV_HUGEPAGE)
#include <sys/sysinfo.h>

/* SLOW_NS: the kernel clears a page of 2 MiB in 50 to 350 us; its 512 small pages take 500 to 1,200 us. A page that needs other
 * pages to be moved first takes milliseconds, and so does one that a virtual machine's host has to find. GRACE_NS: the time
 * that all pages of a block together may take beyond that.
 * SPARE: how many times the block must fit into free memory. The page cache counts as used. */
enum { SLOW_NS = 500000, GRACE_NS = 2000000, SPARE = 4, FIRST_PAUSE = 8, MAX_PAUSE = 1024 };

static bool has_free_memory(size_t bytes) {
  struct sysinfo info;
  return sysinfo(&info) == 0 && (uint64_t)info.freeram * info.mem_unit / SPARE >= bytes;
}

/* Returns the processor time of this thread, which other programs do not disturb. */
static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Fetches the pages one by one while they are cheap; returns the number of pages fetched. */
static size_t fetch(char *block, size_t pages) {
  int64_t start = now();
  for (size_t i = 0; i < pages; i++) {
    *(volatile char *)(block + i * TOCHA_HUGE_PAGE) = 0;
    if (now() - start > (int64_t)(i + 1) * SLOW_NS + GRACE_NS) return i + 1;
  }
  return pages;
}

/* Skips the next blocks after a slow page. Their number doubles, up to MAX_PAUSE, each time that pages are still slow. */
void tocha_fetch_huge_pages(tocha_huge_pages *state, void *block, size_t bytes) {
  size_t pages = bytes / TOCHA_HUGE_PAGE;
  if (pages == 0) return;
  if (state->pause > 0) {
    state->pause--;
    return;
  }
  if (!has_free_memory(bytes) || madvise(block, pages * TOCHA_HUGE_PAGE, MADV_HUGEPAGE) != 0)
    return;
  size_t fetched = fetch(block, pages);
  if (fetched == pages) {
    state->backoff = 0;
    return;
  }
  state->backoff = state->backoff == 0 ? FIRST_PAUSE : 2 * state->backoff;
  if (state->backoff > MAX_PAUSE) state->backoff = MAX_PAUSE;
  state->pause = state->backoff;
  madvise((char *)block + fetched * TOCHA_HUGE_PAGE, (pages - fetched) * TOCHA_HUGE_PAGE,
          MADV_NOHUGEPAGE);
}

#else

void tocha_fetch_huge_pages(tocha_huge_pages *state, void *block, size_t bytes) {
  (void)state;
  (void)block;
  (void)bytes;
}

#endif
