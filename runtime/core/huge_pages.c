/* huge_pages.c: backs large blocks by pages of 2 MiB while these are cheap. */
#include "core/huge_pages.h"

#include <stdint.h>

#include "platform/platform.h"

/* SLOW_NS: the kernel clears a page of 2 MiB in 50 to 350 us; its 512 small pages take 500 to 1,200 us. A page that needs other
 * pages to be moved first takes milliseconds, and so does one that a virtual machine's host has to find. GRACE_NS: the time
 * that all pages of a block together may take beyond that.
 * SPARE: how many times the block must fit into free memory. The page cache counts as used. */
enum { SLOW_NS = 500000, GRACE_NS = 2000000, SPARE = 4, FIRST_PAUSE = 8, MAX_PAUSE = 1024 };

static bool has_free_memory(size_t bytes) { return platform_free_memory() / SPARE >= bytes; }

/* Fetches the pages one by one while they are cheap; returns the number of pages fetched. The time is this thread's own, which
 * other programs do not disturb. */
static size_t fetch(char *block, size_t pages) {
  int64_t start = platform_thread_nanoseconds();
  for (size_t i = 0; i < pages; i++) {
    *(volatile char *)(block + i * TOCHA_HUGE_PAGE) = 0;
    int64_t used = platform_thread_nanoseconds() - start;
    if (used > (int64_t)(i + 1) * SLOW_NS + GRACE_NS) return i + 1;
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
  if (!has_free_memory(bytes) || !platform_use_huge_pages(block, pages * TOCHA_HUGE_PAGE, true))
    return;
  size_t fetched = fetch(block, pages);
  if (fetched == pages) {
    state->backoff = 0;
    return;
  }
  state->backoff = state->backoff == 0 ? FIRST_PAUSE : 2 * state->backoff;
  if (state->backoff > MAX_PAUSE) state->backoff = MAX_PAUSE;
  state->pause = state->backoff;
  platform_use_huge_pages((char *)block + fetched * TOCHA_HUGE_PAGE,
                          (pages - fetched) * TOCHA_HUGE_PAGE, false);
}
