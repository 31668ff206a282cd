/* allocator.h: allocates host memory through the context's realloc hook, cached by size class
 * (allocator.c). The caller passes a block's size when it frees the block. Blocks are aligned to
 * 64 bytes. */
#ifndef TOCHA_CORE_ALLOCATOR_H
#define TOCHA_CORE_ALLOCATOR_H

#include "core/huge_pages.h"
#include "tocha/context.h"

enum { TOCHA_SIZE_CLASSES = 192 };

/* If this is defined, every request gets a block of its own of exactly its size, which is freed
 * at once when it is released. Memory checkers then see each access beyond a block's end and
 * after its release. No block is cached or shared. */
#ifdef TOCHA_EXACT_BLOCKS
enum { TOCHA_EXACT = true };
#else
enum { TOCHA_EXACT = false };
#endif

typedef struct tocha_allocator {
  void *free_blocks[TOCHA_SIZE_CLASSES]; /* singly linked through their first word */
  tocha_memory_statistics statistics;
  size_t cached;      /* bytes in free_blocks */
  size_t idle;        /* the minimum of `cached` since the last trim */
  uint64_t trim_at;   /* statistics.total at which the next trim is due */
  int64_t fail_after; /* for tests: allocations until one fails; -1: none */
  tocha_huge_pages huge_pages;
} tocha_allocator;

/* Allocates a block. Fails with TOCHA_MEMORY_ERROR after flushing the caches and calling the
 * pressure callback. Sizes have 64 bits on every machine, so that one beyond the address space
 * arrives here as it is and is refused. */
void *tocha_allocate(tocha_context *cx, uint64_t bytes);
void *tocha_allocate_zeroed(tocha_context *cx, uint64_t bytes);
void tocha_deallocate(tocha_context *cx, void *block, uint64_t bytes);
/* Removes a block from the allocator, and returns the address that free() of the C library
 * accepts, on any thread. Returns NULL, without any change, if the host's hook allocated the
 * memory, or if a confined context must account for it. */
void *tocha_disown(tocha_context *cx, void *block, size_t bytes);
/* Counts bytes that are shared with other contexts, or, if negative, no longer used. */
void tocha_note_shared(tocha_context *cx, int64_t bytes);
/* Returns a copy of `text`, to be freed with tocha_deallocate_text, or NULL if memory is short. */
char *tocha_copy_text(tocha_context *cx, const char *text);
void tocha_deallocate_text(tocha_context *cx, char *text);

#endif
