/* huge_pages.c: asking the kernel for pages of 2 MiB while they are cheap. */
#define _DEFAULT_SOURCE /* madvise */
#include "core/huge_pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__linux__) && defined(MADV_HUGEPAGE)
#include <sys/sysinfo.h>

/* SLOW_NS: the kernel clears a page of 2 MiB in 50 to 300 us; one that it has to make room for first takes milliseconds.
 * SPARE: how many times the block must fit into the memory that nobody uses, the page cache included. */
enum { SLOW_NS = 1500000, SPARE = 4, FIRST_PAUSE = 8, MAX_PAUSE = 1024 };

static bool has_free_memory(size_t bytes) {
  struct sysinfo info;
  return sysinfo(&info) == 0 && (uint64_t)info.freeram * info.mem_unit / SPARE >= bytes;
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The first page shows what the others will cost. After a slow one, blocks are skipped, the more the longer it stays so. */
void tocha_ask_for_huge_pages(tocha_huge_pages *state, void *block, size_t bytes) {
  if (bytes < TOCHA_HUGE_PAGE) return;
  if (state->pause > 0) {
    state->pause--;
    return;
  }
  if (!has_free_memory(bytes)) return;
  size_t whole = bytes / TOCHA_HUGE_PAGE * TOCHA_HUGE_PAGE;
  if (madvise(block, whole, MADV_HUGEPAGE) != 0) return;
  int64_t start = now();
  *(volatile char *)block = 0;
  if (now() - start < SLOW_NS) {
    state->backoff = 0;
    return;
  }
  state->backoff = state->backoff == 0          ? FIRST_PAUSE
                   : state->backoff < MAX_PAUSE ? 2 * state->backoff
                                                : MAX_PAUSE;
  state->pause = state->backoff;
  madvise(block, whole, MADV_NOHUGEPAGE);
}

#else

void tocha_ask_for_huge_pages(tocha_huge_pages *state, void *block, size_t bytes) {
  (void)state;
  (void)block;
  (void)bytes;
}

#endif
