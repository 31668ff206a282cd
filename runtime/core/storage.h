/* storage.h: storages: bytes on a device with a reference count and a version. */
#ifndef TOCHA_CORE_STORAGE_H
#define TOCHA_CORE_STORAGE_H

#include "core/context.h"
#include "core/refcount.h"

/* Memory that storages of several contexts share; the last of them frees it, on any thread. */
typedef struct tocha_shared_memory {
  tocha_refcount owners;
  void *data;
  uint64_t bytes;
  void (*deleter)(void *user, void *data);
  void *deleter_user;
  bool odd_bools; /* see tocha_storage */
} tocha_shared_memory;

typedef struct tocha_storage {
  tocha_refcount references;
  uint32_t version; /* number of in-place writes so far */
  tocha_device device;
  bool any_thread; /* the deleter may be called on any thread */
  bool odd_bools;  /* bools in it may be bytes other than 0 and 1 */
  bool lent;       /* another library has used it (core/loans.h): it keeps its memory */
  uint64_t bytes;
  void *data;
  tocha_context *context;
  void (*deleter)(void *user, void *data); /* for memory of the host; NULL: the context's own */
  void *deleter_user;
  size_t block; /* bytes of the block that contains this header (and small data) */
} tocha_storage;

tocha_storage *tocha_storage_new(tocha_context *cx, uint64_t bytes, tocha_device device);
/* Does the same with memory in a block of its own, for tocha_storage_take. */
tocha_storage *tocha_storage_new_apart(tocha_context *cx, uint64_t bytes, tocha_device device);
/* Creates a storage over memory of the host, or of another library, on a device that is present. `deleter`
 * (NULL: none) is called when the storage is freed. */
tocha_storage *tocha_storage_of_memory(tocha_context *cx, void *data, uint64_t bytes,
                                       tocha_device device, void (*deleter)(void *user, void *data),
                                       void *user);
/* Notes that bools in the storage may be bytes other than 0 and 1: they are also read as another
 * type, or come from outside. */
void tocha_storage_note_odd_bools(tocha_storage *s);
/* Returns false if the memory is the host's, or if another library uses it. */
bool tocha_storage_is_resizable(const tocha_storage *s);
/* Gives s the memory of `apart`, which was created by tocha_storage_new_apart and gets the old memory
 * of s, unless that is part of s's own block. All tensors on s see the new memory. */
void tocha_storage_take(tocha_storage *s, tocha_storage *apart);
static inline tocha_storage *tocha_storage_retain(tocha_storage *storage) {
  tocha_refcount_retain(&storage->references);
  return storage;
}
void tocha_storage_release(tocha_storage *storage);

/* Returns the memory of a storage on the CPU as a block, of which the caller is an owner; the
 * storage is another owner. Memory of the host, whose release may require a certain thread, is
 * copied. Returns NULL with an error if it fails. */
tocha_shared_memory *tocha_storage_share(tocha_storage *storage);
/* Creates a storage of cx that is an owner of the block. */
tocha_storage *tocha_storage_of_shared(tocha_context *cx, tocha_shared_memory *block);
void tocha_memory_release(tocha_shared_memory *block);

#endif
