/* allocator.c: the caching allocator of host memory.
 *
 * Page faults cost more than arithmetic, so freed blocks are kept by size class and reused.
 * Classes grow by a quarter of a power of two (at most 25% is lost to rounding). A cache larger
 * than half of the live bytes (and than 256 MiB) releases its largest blocks, but keeps as many
 * bytes as were in use while eight times all reserved memory was handed out, so that a step of
 * training finds the blocks that the step before used. A cache of more than 2 GiB is released at
 * once. Large blocks ask for huge pages while these are cheap (huge_pages.h): one fault instead
 * of 512, and a loop over several tensors finds its pages in the TLB.
 *
 * A build with TOCHA_EXACT_BLOCKS does none of this (allocator.h). */
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "platform/platform.h"

/* MAX_LITTLE: up to so many bytes, classes are multiples of SMALLEST. */
enum {
  ALIGNMENT = 64,
  SMALLEST = 64,
  MAX_LITTLE = 4 * SMALLEST,
  LITTLE = 4096,
  ROOM = ALIGNMENT + sizeof(void *)
};

/* The size of the largest block: what a pointer can span, and what the classes cover. */
static const uint64_t LARGEST = PTRDIFF_MAX < (int64_t)1 << 47 ? PTRDIFF_MAX : (uint64_t)1 << 47;

/* Allocates memory by the host's hook, or from the C library. */
static char *hooked_allocate(tocha_context *cx, size_t bytes) {
  if (!cx->options.allocate) return malloc(bytes);
  return cx->options.allocate(cx->options.allocate_user, NULL, 0, bytes);
}

/* Allocates a block from the C library, aligned to ALIGNMENT, or to TOCHA_HUGE_PAGE if it is at least as large. */
static void *allocate_pages(tocha_context *cx, size_t bytes) {
  bool huge = bytes >= TOCHA_HUGE_PAGE && !TOCHA_EXACT;
  void *block = platform_allocate_aligned(huge ? TOCHA_HUGE_PAGE : ALIGNMENT, bytes);
  if (block && huge) tocha_fetch_huge_pages(&cx->allocator.huge_pages, block, bytes);
  return block;
}

/* Returns true if a block is inside a larger one, whose address is stored before it: the hook
 * does not align, and for small blocks aligned_alloc takes several times as long as malloc. */
static bool is_within(const tocha_context *cx, size_t bytes) {
  return cx->options.allocate || (bytes <= LITTLE && !TOCHA_EXACT);
}

/* Allocates memory aligned to ALIGNMENT, of any content. */
static void *allocate_block(tocha_context *cx, size_t bytes) {
  if (!is_within(cx, bytes)) return allocate_pages(cx, bytes);
  char *raw = hooked_allocate(cx, bytes + ROOM);
  if (!raw) return NULL;
  char *block = raw + ROOM - ((uintptr_t)raw + ROOM) % ALIGNMENT;
  memcpy(block - sizeof raw, &raw, sizeof raw);
  return block;
}

/* Allocates memory without the cache. A confined context gets zeros, and no more than its host
 * allows. */
static void *raw_allocate(tocha_context *cx, size_t bytes) {
  if (cx->allocator.fail_after >= 0 && cx->allocator.fail_after-- == 0) return NULL;
  if (!cx->confined) return allocate_block(cx, bytes);
  const tocha_confinement *c = &cx->confinement;
  if (c->count && !c->count(c->user, (int64_t)bytes)) return NULL;
  void *block = allocate_block(cx, bytes);
  if (block)
    memset(block, 0, bytes);
  else if (c->count)
    c->count(c->user, -(int64_t)bytes);
  return block;
}

static void raw_free(tocha_context *cx, void *block, size_t bytes) {
  char *raw = block;
  if (cx->confinement.count) cx->confinement.count(cx->confinement.user, -(int64_t)bytes);
  if (is_within(cx, bytes)) memcpy(&raw, raw - sizeof raw, sizeof raw);
  if (cx->options.allocate)
    cx->options.allocate(cx->options.allocate_user, raw, bytes + ROOM, 0);
  else
    free(raw);
}

/* Returns the class of a request of more than MAX_LITTLE bytes, and rounds it up to the size of the class. */
static int size_class_of_large(uint64_t bytes, size_t *rounded) {
  if (bytes > LARGEST) {
    *rounded = SIZE_MAX;
    return 0;
  }
  int log = 63 - __builtin_clzll((unsigned long long)(bytes - 1)); /* 2^log <= bytes-1 */
  size_t step = (size_t)1 << (log - 2);
  size_t size = ((size_t)bytes + step - 1) & ~(step - 1);
  *rounded = size;
  return 3 + (log - 8) * 4 + (int)((size - ((size_t)1 << log)) >> (log - 2));
}

/* Returns the class of a request and rounds it up to the size of the class: 64, 128, 192, 256, then four classes for each power of
 * two. The size is SIZE_MAX if there is no such block. */
static inline int size_class(uint64_t bytes, size_t *rounded) {
  if (TOCHA_EXACT) {
    *rounded = bytes > LARGEST ? SIZE_MAX : (size_t)bytes;
    return 0; /* the list of this class stays empty */
  }
  if (bytes > MAX_LITTLE) return size_class_of_large(bytes, rounded);
  int class = bytes ? (int)((bytes - 1) / SMALLEST) : 0; /* most: headers, nodes, short lists */
  *rounded = (size_t)(class + 1) * SMALLEST;
  return class;
}

static size_t flush(tocha_context *cx, size_t keep) {
  tocha_allocator *a = &cx->allocator;
  size_t before = a->cached;
  for (int c = TOCHA_SIZE_CLASSES - 1; c >= 0 && a->cached > keep; c--) {
    while (a->free_blocks[c] && a->cached > keep) {
      void **block = a->free_blocks[c];
      size_t bytes = (size_t)(uintptr_t)block[1];
      a->free_blocks[c] = block[0];
      a->cached -= bytes;
      a->statistics.reserved -= bytes;
      raw_free(cx, block, bytes);
    }
  }
  if (a->idle > a->cached) a->idle = a->cached;
  return before - a->cached;
}

void tocha_empty_cache(tocha_context *cx) {
  if (cx) flush(cx, 0);
}

static void *allocate_uncached(tocha_context *cx, size_t rounded) {
  void *block = raw_allocate(cx, rounded);
  if (block) return block;
  if (flush(cx, 0)) block = raw_allocate(cx, rounded);
  for (int attempt = 0; !block && attempt < 2 && cx->release_memory; attempt++) {
    cx->allocator.statistics.collections++;
    if (!cx->release_memory(cx->release_memory_user)) break;
    flush(cx, 0);
    block = raw_allocate(cx, rounded);
  }
  return block;
}

static void *out_of_memory(tocha_context *cx, uint64_t bytes) {
  const tocha_memory_statistics *s = &cx->allocator.statistics;
  tocha_fail(cx, TOCHA_MEMORY_ERROR,
             "DefaultCPUAllocator: can't allocate memory: you tried to allocate %llu bytes.",
             (unsigned long long)bytes);
  return tocha_hint(cx,
                    "%.1f MiB are live in tensors and %.1f MiB cached; use smaller batches, or "
                    "release tensors with t:free() or <close>",
                    (double)s->allocated / 1048576, (double)cx->allocator.cached / 1048576);
}

/* Returns a cached block of the class, or NULL. */
static inline void *take_cached(tocha_allocator *a, int class, size_t rounded) {
  void **block = a->free_blocks[class];
  if (!block) return NULL;
  a->free_blocks[class] = block[0];
  a->cached -= rounded;
  if (a->cached < a->idle) a->idle = a->cached;
  return block;
}

static inline void count_allocated(tocha_allocator *a, size_t rounded) {
  a->statistics.total += rounded;
  a->statistics.allocated += rounded;
  if (a->statistics.allocated > a->statistics.max_allocated)
    a->statistics.max_allocated = a->statistics.allocated;
}

static void *allocate_any(tocha_context *cx, uint64_t bytes) {
  tocha_allocator *a = &cx->allocator;
  size_t rounded;
  int class = size_class(bytes, &rounded);
  if (rounded == SIZE_MAX) return out_of_memory(cx, bytes);
  void *block = take_cached(a, class, rounded);
  if (!block) {
    block = allocate_uncached(cx, rounded);
    if (!block) return out_of_memory(cx, bytes);
    a->statistics.reserved += rounded;
  }
  count_allocated(a, rounded);
  return block;
}

/* Finds small cached blocks without calling a function: most requests are for these. */
void *tocha_allocate(tocha_context *cx, uint64_t bytes) {
  tocha_allocator *a = &cx->allocator;
  size_t rounded;
  if (bytes > MAX_LITTLE) return allocate_any(cx, bytes);
  int class = size_class(bytes, &rounded);
  void *block = take_cached(a, class, rounded);
  if (!block) return allocate_any(cx, bytes);
  count_allocated(a, rounded);
  return block;
}

void *tocha_allocate_zeroed(tocha_context *cx, uint64_t bytes) {
  void *block = tocha_allocate(cx, bytes);
  if (block) memset(block, 0, (size_t)bytes);
  return block;
}

/* Releases cached blocks, down to three quarters of `enough`, if the cache exceeds a fixed
 * maximum or a trim is due. A trim that is due keeps as many bytes as were in use since the last
 * one. It is due again when TURNS times the reserved memory has been handed out. */
static void trim(tocha_context *cx, size_t enough) {
  enum { TURNS = 8 };
  const size_t maximum = (size_t)2 << 30;
  tocha_allocator *a = &cx->allocator;
  bool at_once = a->cached > maximum, due = a->statistics.total >= a->trim_at;
  size_t keep = enough / 4 * 3, used = a->cached - a->idle;
  if (!at_once && !due) return;
  if (at_once || a->trim_at > 0) flush(cx, at_once || used < keep ? keep : used);
  a->trim_at = a->statistics.total + (uint64_t)TURNS * a->statistics.reserved;
  a->idle = a->cached;
}

/* Puts a block into the cache, and releases blocks of it if it holds more than 256 MiB and half of the live bytes. */
static inline void put_into_cache(tocha_context *cx, void **block, int class, size_t rounded) {
  tocha_allocator *a = &cx->allocator;
  const size_t floor = (size_t)256 << 20;
  a->statistics.allocated -= rounded;
  block[0] = a->free_blocks[class];
  block[1] = (void *)(uintptr_t)rounded; /* the smallest block has room for both words */
  a->free_blocks[class] = block;
  a->cached += rounded;
  if (a->cached <= floor) return;
  size_t half = a->statistics.allocated / 2;
  if (a->cached > half) trim(cx, half > floor ? half : floor);
}

static void deallocate_any(tocha_context *cx, void *block, uint64_t bytes) {
  size_t rounded;
  int class = size_class(bytes, &rounded);
  if (!TOCHA_EXACT) {
    put_into_cache(cx, block, class, rounded);
    return;
  }
  cx->allocator.statistics.allocated -= rounded;
  cx->allocator.statistics.reserved -= rounded;
  raw_free(cx, block, rounded);
}

/* Takes small blocks back without calling a function, as tocha_allocate finds them. */
void tocha_deallocate(tocha_context *cx, void *pointer, uint64_t bytes) {
  size_t rounded;
  if (!pointer) return;
  if (TOCHA_EXACT || bytes > MAX_LITTLE) {
    deallocate_any(cx, pointer, bytes);
    return;
  }
  int class = size_class(bytes, &rounded);
  put_into_cache(cx, pointer, class, rounded);
}

void *tocha_disown(tocha_context *cx, void *block, size_t bytes) {
  if (cx->options.allocate || cx->confined) return NULL;
  size_t rounded;
  size_class(bytes, &rounded);
  cx->allocator.statistics.allocated -= rounded;
  cx->allocator.statistics.reserved -= rounded;
  void *raw = block;
  if (is_within(cx, rounded)) memcpy(&raw, (char *)block - sizeof raw, sizeof raw);
  return raw;
}

void tocha_note_shared(tocha_context *cx, int64_t bytes) {
  tocha_memory_statistics *s = &cx->allocator.statistics;
  s->allocated += (size_t)bytes;
  s->reserved += (size_t)bytes;
  if (bytes > 0) s->total += (uint64_t)bytes;
  if (s->allocated > s->max_allocated) s->max_allocated = s->allocated;
}

char *tocha_copy_text(tocha_context *cx, const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = tocha_allocate(cx, bytes);
  return copy ? memcpy(copy, text, bytes) : NULL;
}

void tocha_deallocate_text(tocha_context *cx, char *text) {
  if (text) tocha_deallocate(cx, text, strlen(text) + 1);
}

void tocha_on_memory_pressure(tocha_context *cx, bool (*release)(void *user), void *user) {
  if (!cx) return;
  cx->release_memory = release;
  cx->release_memory_user = user;
}
