/* allocator.h: host memory through the context's realloc hook, cached by size class (allocator.c). A block's
 * size must be given back with it. Blocks are aligned to 64 bytes. */
#ifndef TOCHA_CORE_ALLOCATOR_H
#define TOCHA_CORE_ALLOCATOR_H

#include "core/huge_pages.h"
#include "tocha/context.h"

enum { TOCHA_SIZE_CLASSES = 192 };

/* If this is defined, every request gets a block of its own of exactly its size, which is freed as soon as it is given back.
 * Memory checkers then see each access beyond a block's end and after its release. Nothing is cached or shares a block. */
#ifdef TOCHA_EXACT_BLOCKS
enum { TOCHA_EXACT = true };
#else
enum { TOCHA_EXACT = false };
#endif

typedef struct tocha_allocator {
  void *free_blocks[TOCHA_SIZE_CLASSES]; /* singly linked through their first word */
  tocha_memory_statistics statistics;
  size_t cached;      /* bytes in free_blocks */
  size_t idle;        /* the least that was cached since the last trim */
  size_t trim_at;     /* statistics.total from which the next trim is due */
  int64_t fail_after; /* tests: the allocation that fails, counted down; -1: none */
  tocha_huge_pages huge_pages;
} tocha_allocator;

/* NULL, with TOCHA_MEMORY_ERROR, after flushing caches and asking the pressure callback. */
void *tocha_allocate(tocha_context *cx, size_t bytes);
void *tocha_allocate_zeroed(tocha_context *cx, size_t bytes);
void tocha_deallocate(tocha_context *cx, void *block, size_t bytes);
/* Takes a block out of the allocator: what free() of the C library gets in the end, on any thread. NULL, and nothing has
 * happened, where the host's hook gave the memory. */
void *tocha_disown(tocha_context *cx, void *block, size_t bytes);
/* Counts memory that is shared with other contexts, or (negative) let go of. */
void tocha_note_shared(tocha_context *cx, int64_t bytes);
/* A copy of text, to be given back with tocha_deallocate_text; NULL where memory lacks. */
char *tocha_copy_text(tocha_context *cx, const char *text);
void tocha_deallocate_text(tocha_context *cx, char *text);

#endif
