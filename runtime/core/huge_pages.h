/* huge_pages.h: asking the kernel for pages of 2 MiB while they are cheap. */
#ifndef TOCHA_HUGE_PAGES_H
#define TOCHA_HUGE_PAGES_H

#include <stddef.h>

enum { TOCHA_HUGE_PAGE = 2 << 20 };

/* Decides for how many large blocks no huge pages are asked for. A zeroed struct is the initial state. */
typedef struct tocha_huge_pages {
  int pause;   /* blocks that are still to be skipped */
  int backoff; /* blocks that were skipped after the last slow page */
} tocha_huge_pages;

/* Asks for huge pages for a block of `bytes` that begins at a multiple of TOCHA_HUGE_PAGE and has not been written yet,
 * if the kernel has them ready. Where it would have to move or drop other pages first (the page cache has filled the
 * memory, or what is free lies in pieces), a huge page costs several times what its 512 small ones cost. Writes the
 * block's first byte. */
void tocha_ask_for_huge_pages(tocha_huge_pages *state, void *block, size_t bytes);

#endif
