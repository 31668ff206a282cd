/* storage.h: bytes on a device with a reference count and a version. */
#ifndef TOCHA_CORE_STORAGE_H
#define TOCHA_CORE_STORAGE_H

#include "core/context.h"
#include "core/refcount.h"

typedef struct tocha_storage {
  tocha_refcount references;
  uint32_t version; /* in-place writes so far */
  tocha_device device;
  size_t bytes;
  void *data;
  tocha_context *context;
  void (*deleter)(void *user, void *data); /* memory that is not ours; NULL: it is */
  void *deleter_user;
  size_t block; /* bytes of the block that holds this header (and small data) */
} tocha_storage;

tocha_storage *tocha_storage_new(tocha_context *cx, size_t bytes, tocha_device device);
tocha_storage *tocha_storage_retain(tocha_storage *storage);
void tocha_storage_release(tocha_storage *storage);

#endif
