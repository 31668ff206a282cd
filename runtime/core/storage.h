/* storage.h: bytes on a device with a reference count and a version. */
#ifndef TOCHA_CORE_STORAGE_H
#define TOCHA_CORE_STORAGE_H

#include "core/context.h"
#include "core/refcount.h"

/* Memory that storages of several contexts have: it goes with the last of them, on whatever thread that is. */
typedef struct tocha_shared_memory {
  tocha_refcount owners;
  void *data;
  size_t bytes;
  void (*deleter)(void *user, void *data);
  void *deleter_user;
  bool odd_bools; /* as in a storage */
} tocha_shared_memory;

typedef struct tocha_storage {
  tocha_refcount references;
  uint32_t version; /* in-place writes so far */
  tocha_device device;
  bool any_thread; /* the deleter may be called on any thread */
  bool odd_bools;  /* bools in it may be other bytes than 0 and 1 */
  size_t bytes;
  void *data;
  tocha_context *context;
  void (*deleter)(void *user, void *data); /* memory that is not ours; NULL: it is */
  void *deleter_user;
  size_t block; /* bytes of the block that holds this header (and small data) */
} tocha_storage;

tocha_storage *tocha_storage_new(tocha_context *cx, size_t bytes, tocha_device device);
/* The same, whose memory tocha_storage_take can take. */
tocha_storage *tocha_storage_new_apart(tocha_context *cx, size_t bytes, tocha_device device);
/* Notes that bools in the storage may be other bytes than 0 and 1: they are also seen as another type, or come from outside. */
void tocha_storage_note_odd_bools(tocha_storage *s);
/* Not where the memory is the host's. */
bool tocha_storage_is_resizable(const tocha_storage *s);
/* Gives s the memory of one that was made apart, which keeps what s had. All tensors on s see it. */
void tocha_storage_take(tocha_storage *s, tocha_storage *apart);
tocha_storage *tocha_storage_retain(tocha_storage *storage);
void tocha_storage_release(tocha_storage *storage);

/* The memory of a storage on the CPU as a block, whose owner the caller is; the storage is another one. Memory of the host's, which
 * may ask for a certain thread when it goes, is copied. NULL with an error. */
tocha_shared_memory *tocha_storage_share(tocha_storage *storage);
/* A storage of cx that is an owner of the block. */
tocha_storage *tocha_storage_of_shared(tocha_context *cx, tocha_shared_memory *block);
void tocha_memory_release(tocha_shared_memory *block);

#endif
