/* pickle.h: Python's pickles, as far as checkpoints need them: a machine that builds values and calls nothing. */
#ifndef TOCHA_PICKLE_H
#define TOCHA_PICKLE_H

#include "serialization/checkpoint.h"
#include "io/zip.h"

/* The bytes of tensors: read once for each key of a file. */
typedef struct tocha_stored {
  char *key;          /* text of the checkpoint */
  tocha_tensor *base; /* all of it, with one dimension; where it goes; in the scope of the load */
} tocha_stored;

typedef struct tocha_loader {
  tocha_context *cx;
  const tocha_load_options *options;
  const tocha_source *source;
  tocha_checkpoint *out;
  tocha_zip *zip;     /* NULL: the old format, where bytes follow the pickle */
  const char *folder; /* before the names of a zip archive */
  bool swapped;       /* elements are in the other byte order */
  tocha_stored *stored;
  size_t stored_count, stored_room;
  int *slots; /* of a hash table by key: number + 1 */
  size_t slot_count;
  int64_t bytes, most; /* of all storages so far, and at most */
} tocha_loader;

/* What a storage's value refers to. */
typedef struct tocha_storage_view {
  size_t number; /* into `stored` */
  tocha_dtype dtype;
  int64_t first, count; /* elements of dtype */
} tocha_storage_view;

/* --- pickle_read.c -------------------------------------------------------------------------------------- */

/* Runs the pickle at *at, which must end before `end`; *at is behind it then. NULL with an error. */
const tocha_value *tocha_unpickle(tocha_loader *l, const tocha_source *source, int64_t *at,
                                  int64_t end);

/* --- pickle_globals.c: the allow-list ---------------------------------------------------------------------- */

/* The value that module.name stands for; an error that names it where it is not in the list. */
tocha_value *tocha_find_global(tocha_loader *l, const char *module, const char *name);
/* What calling a global with these arguments, a tuple, gives. */
tocha_value *tocha_call_global(tocha_loader *l, const tocha_value *global,
                               const tocha_value *arguments);

/* --- storages.c ----------------------------------------------------------------------------------------------- */

/* The storage that a persistent id names: a tuple. */
tocha_value *tocha_load_storage(tocha_loader *l, const tocha_value *id);
tocha_stored *tocha_find_stored(tocha_loader *l, const char *key);
/* A tensor over a storage, whose every element is checked to lie in it; in the scope. */
tocha_tensor *tocha_tensor_over(tocha_loader *l, const tocha_value *storage, tocha_dtype dtype,
                                const tocha_value *offset, const tocha_value *sizes,
                                const tocha_value *strides);
void tocha_loader_free(tocha_loader *l);
/* "cuda:0" as a device; false for what is none. */
bool tocha_read_device(const char *text, tocha_device *device);

/* --- pickle_write.c ---------------------------------------------------------------------------------------------- */

/* Tensors by number; no two of them are one object, or (by_storage) share a storage. */
typedef struct tocha_tensor_set {
  tocha_tensor **all; /* borrowed */
  int64_t *notes;     /* where the writer noted each; -1: nowhere */
  size_t count, room;
  int *slots; /* of a hash table: number + 1 */
  size_t slot_count;
  bool by_storage;
} tocha_tensor_set;

typedef struct tocha_saver {
  tocha_context *cx;
  tocha_byte_block out;      /* the pickle */
  bool legacy;               /* storages have six parts */
  int64_t noted;             /* values so far */
  tocha_tensor_set storages; /* the first tensor over each */
  tocha_tensor_set tensors;
} tocha_saver;

/* Appends the pickle of a value. Memory of the saver is freed by tocha_saver_free in any case. */
bool tocha_pickle(tocha_saver *s, const tocha_value *value);
void tocha_saver_free(tocha_saver *s);
#endif
