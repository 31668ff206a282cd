/* storage.c: storages: bytes on a device with a reference count, a version and a deleter. */
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "core/loans.h"

/* Data of up to SMALL bytes shares the block of the header, and follows it: one allocation for a
 * small tensor. HEADER is a multiple of the alignment of data. */
enum { SMALL = TOCHA_EXACT ? 0 : 1024, HEADER = 64 };
_Static_assert(sizeof(tocha_storage) <= HEADER, "each small tensor would take another cache line");

static tocha_storage *new_storage(tocha_context *cx, uint64_t bytes, tocha_device device,
                                  bool may_share_block) {
  if (atomic_load_explicit(&cx->loans, memory_order_relaxed)) tocha_collect_loans(cx);
  bool has_data = device.type == TOCHA_CPU, shares_block = may_share_block && bytes <= SMALL;
  size_t block = HEADER + (has_data && shares_block ? (size_t)bytes : 0);
  tocha_storage *s = tocha_allocate(cx, block);
  if (!s) return NULL;
  tocha_refcount_init(&s->references);
  s->version = 0;
  s->device = device;
  s->bytes = bytes;
  s->context = cx;
  s->deleter = NULL;
  s->deleter_user = NULL;
  s->any_thread = false;
  s->odd_bools = s->lent = false;
  s->block = block;
  s->data = NULL;
  if (has_data && shares_block) {
    s->data = (char *)s + HEADER;
  } else if (has_data) {
    s->data = tocha_allocate(cx, bytes);
    if (!s->data) {
      tocha_deallocate(cx, s, block);
      return NULL;
    }
  } else if (device.type == TOCHA_CUDA && bytes > 0) {
    s->data = cx->hooks->allocate(cx, device, bytes, &s->deleter, &s->deleter_user);
    if (!s->data) {
      tocha_deallocate(cx, s, block);
      return NULL;
    }
    cx->gpu_bytes.live += (size_t)bytes;
    cx->gpu_bytes.total += bytes;
  }
  tocha_context_retain(cx);
  return s;
}

tocha_storage *tocha_storage_new(tocha_context *cx, uint64_t bytes, tocha_device device) {
  return new_storage(cx, bytes, device, true);
}

tocha_storage *tocha_storage_new_apart(tocha_context *cx, uint64_t bytes, tocha_device device) {
  return new_storage(cx, bytes, device, false);
}

/* Does nothing: the deleter of memory that its owner frees. */
static void keep_memory(void *user, void *data) {
  (void)user;
  (void)data;
}

tocha_storage *tocha_storage_of_memory(tocha_context *cx, void *data, uint64_t bytes,
                                       tocha_device device, void (*deleter)(void *user, void *data),
                                       void *user) {
  tocha_storage *s = tocha_storage_new(cx, 0, device);
  if (!s) return NULL;
  s->data = data;
  s->bytes = bytes;
  s->deleter = deleter ? deleter : keep_memory;
  s->deleter_user = user;
  if (device.type == TOCHA_CUDA && data) {
    cx->gpu_bytes.live += (size_t)bytes;
    cx->gpu_bytes.total += bytes;
  }
  return s;
}

static bool is_inline(const tocha_storage *s) { return (char *)s->data == (char *)s + HEADER; }

void tocha_storage_take(tocha_storage *s, tocha_storage *apart) {
  tocha_storage old = *s;
  bool was_inline = is_inline(s);
  s->data = apart->data;
  s->bytes = apart->bytes;
  s->deleter = apart->deleter;
  s->deleter_user = apart->deleter_user;
  s->any_thread = apart->any_thread;
  apart->data = was_inline ? NULL : old.data;
  apart->bytes = was_inline ? 0 : old.bytes;
  apart->deleter = old.deleter;
  apart->deleter_user = old.deleter_user;
  apart->any_thread = old.any_thread;
}

static void release_block(void *user, void *data) {
  (void)data;
  tocha_memory_release(user);
}

void tocha_storage_release(tocha_storage *s) {
  if (!tocha_refcount_release(&s->references)) return;
  tocha_context *cx = s->context;
  if (s->deleter == release_block) tocha_note_shared(cx, -(int64_t)s->bytes);
  if (s->device.type == TOCHA_CUDA && s->data) cx->gpu_bytes.live -= (size_t)s->bytes;
  if (s->deleter)
    s->deleter(s->deleter_user, s->data);
  else if (s->data && !is_inline(s))
    tocha_deallocate(cx, s->data, s->bytes);
  tocha_deallocate(cx, s, s->block);
  tocha_context_release(cx);
}

bool tocha_storage_is_resizable(const tocha_storage *s) {
  if (s->lent) return false;
  return s->device.type != TOCHA_CPU || !s->deleter || s->deleter == release_block;
}

/* --- memory of several contexts -------------------------------------------------------------------- */

static void free_memory(void *user, void *data) {
  (void)data;
  free(user);
}

void tocha_memory_release(tocha_shared_memory *block) {
  if (!block || !tocha_refcount_release(&block->owners)) return;
  block->deleter(block->deleter_user, block->data);
  free(block);
}

static bool fill_with_copy(tocha_shared_memory *b, const tocha_storage *s) {
  b->data = aligned_alloc(64, ((size_t)s->bytes / 64 + 1) * 64);
  if (!b->data) return false;
  if (s->bytes && s->data) memcpy(b->data, s->data, (size_t)s->bytes);
  b->deleter = free_memory;
  b->deleter_user = b->data;
  return true;
}

/* Moves the memory into the block if it can leave the context's allocator, else copies it. */
static bool fill_block(tocha_shared_memory *b, const tocha_storage *s) {
  b->data = s->data;
  b->deleter = free_memory;
  if (s->deleter && !s->any_thread) return fill_with_copy(b, s);
  if (s->deleter) {
    b->deleter = s->deleter;
    b->deleter_user = s->deleter_user;
    return true;
  }
  b->deleter_user = s->data && !is_inline(s) ? tocha_disown(s->context, s->data, s->bytes) : NULL;
  return b->deleter_user || fill_with_copy(b, s);
}

/* Makes the storage an owner of the block, whose memory it uses from now on. */
static void become_owner(tocha_storage *s, tocha_shared_memory *b) {
  if (!s->deleter && b->data != s->data && s->data && !is_inline(s))
    tocha_deallocate(s->context, s->data, s->bytes);
  tocha_refcount_retain(&b->owners);
  s->data = b->data;
  s->deleter = release_block;
  s->deleter_user = b;
  s->any_thread = true;
  tocha_note_shared(s->context, (int64_t)s->bytes);
}

tocha_shared_memory *tocha_storage_share(tocha_storage *s) {
  if (s->deleter == release_block) {
    tocha_shared_memory *b = s->deleter_user;
    tocha_refcount_retain(&b->owners);
    return b;
  }
  tocha_shared_memory *b = malloc(sizeof *b);
  if (b) {
    tocha_refcount_init(&b->owners);
    b->bytes = s->bytes;
    b->odd_bools = s->odd_bools;
  }
  if (!b || !fill_block(b, s)) {
    free(b);
    return tocha_fail(
        s->context, TOCHA_MEMORY_ERROR,
        "DefaultCPUAllocator: can't allocate memory: you tried to allocate %llu bytes.",
        (unsigned long long)s->bytes);
  }
  if (!s->deleter || s->any_thread) become_owner(s, b);
  return b;
}

tocha_storage *tocha_storage_of_shared(tocha_context *cx, tocha_shared_memory *block) {
  tocha_storage *s = tocha_storage_new(cx, 0, tocha_cpu());
  if (!s) return NULL;
  s->bytes = block->bytes;
  become_owner(s, block);
  if (block->odd_bools) tocha_storage_note_odd_bools(s);
  return s;
}

void tocha_storage_note_odd_bools(tocha_storage *s) { s->odd_bools = s->context->odd_bools = true; }
