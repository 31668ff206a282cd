/* storage.c: bytes on a device with a reference count, a version and a deleter. */
#include "core/internal.h"

/* Data up to this size shares the header's block: one allocation for a small tensor. */
enum { SMALL = 1024, HEADER = 64 };
_Static_assert(sizeof(tocha_storage) <= HEADER + 16, "storage header grew");

static size_t header_bytes(void) { return (sizeof(tocha_storage) + 63) / 64 * 64; }

tocha_storage *tocha_storage_new(tocha_context *cx, size_t bytes, tocha_device device) {
  bool has_data = device.type == TOCHA_CPU;
  size_t block = header_bytes() + (has_data && bytes <= SMALL ? bytes : 0);
  tocha_storage *s = tocha_allocate(cx, block);
  if (!s) return NULL;
  tocha_refcount_init(&s->references);
  s->version = 0;
  s->device = device;
  s->bytes = bytes;
  s->context = cx;
  s->deleter = NULL;
  s->deleter_user = NULL;
  s->block = block;
  s->data = NULL;
  if (has_data && bytes <= SMALL) {
    s->data = (char *)s + header_bytes();
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
    cx->gpu_bytes.live += bytes;
    cx->gpu_bytes.total += bytes;
  }
  tocha_context_retain(cx);
  return s;
}

tocha_storage *tocha_storage_retain(tocha_storage *storage) {
  tocha_refcount_retain(&storage->references);
  return storage;
}

void tocha_storage_release(tocha_storage *s) {
  if (!tocha_refcount_release(&s->references)) return;
  tocha_context *cx = s->context;
  if (s->device.type == TOCHA_CUDA && s->data) cx->gpu_bytes.live -= s->bytes;
  if (s->deleter)
    s->deleter(s->deleter_user, s->data);
  else if (s->data && (char *)s->data != (char *)s + header_bytes())
    tocha_deallocate(cx, s->data, s->bytes);
  tocha_deallocate(cx, s, s->block);
  tocha_context_release(cx);
}
