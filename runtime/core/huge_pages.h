/* huge_pages.h: backs large blocks by pages of 2 MiB while these are cheap. */
#ifndef TOCHA_HUGE_PAGES_H
#define TOCHA_HUGE_PAGES_H

#include <stddef.h>

enum { TOCHA_HUGE_PAGE = 2 << 20 };

/* Counts the large blocks for which no huge pages are requested. A zeroed struct is the initial
 * state. */
typedef struct tocha_huge_pages {
  int pause;   /* blocks that will still be skipped */
  int backoff; /* blocks that were skipped after the last slow page */
} tocha_huge_pages;

/* Backs a block of `bytes` that begins at a multiple of TOCHA_HUGE_PAGE, and has not been written yet, by huge pages as
 * far as the kernel has them ready. If the kernel has to move or drop other pages first (because the page cache has filled the
 * memory, or free memory is fragmented), a huge page costs several times as much as its 512 small pages. Writes the first byte
 * of each page that it fetches. */
void tocha_fetch_huge_pages(tocha_huge_pages *state, void *block, size_t bytes);

#endif
