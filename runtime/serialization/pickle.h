/* pickle.h: Python's pickles, as far as checkpoints need them: a machine that builds values and
 * executes no code. */
#ifndef TOCHA_PICKLE_H
#define TOCHA_PICKLE_H

#include "io/foreign.h"
#include "io/zip.h"
#include "serialization/checkpoint.h"

/* A type of elements: a dtype, or, from TOCHA_DTYPE_COUNT on, a number of tocha_foreign_types. */
typedef int tocha_element;

static inline int64_t tocha_element_size(tocha_element e) {
  return e < TOCHA_DTYPE_COUNT ? tocha_item_size((tocha_dtype)e)
                               : tocha_foreign_types[e - TOCHA_DTYPE_COUNT].size;
}

/* The bytes of tensors, read once for each key of a file. */
typedef struct tocha_stored {
  char *key;          /* a text of the checkpoint */
  tocha_tensor *base; /* the whole storage, with one dimension, on its final device; in the scope
                       * of the load */
  int64_t count;      /* number of elements, as the file counts them */
  tocha_tensor *converted; /* its elements of a foreign type, converted to a dtype; NULL: not yet */
  tocha_element converted_from;
} tocha_stored;

/* A tensor of elements of a foreign type, which is converted when all bytes have been read. */
typedef struct tocha_pending {
  struct tocha_pending *next;
  tocha_value
      *value;    /* TOCHA_VALUE_MISSING; becomes a tensor if a dtype can represent its numbers */
  size_t number; /* index into `stored` */
  tocha_element element;
  bool requires_grad;
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS], offset;
} tocha_pending;

typedef struct tocha_loader {
  tocha_context *cx;
  const tocha_load_options *options;
  const tocha_source *source;
  tocha_checkpoint *out;
  tocha_zip *zip;         /* NULL for the old format, where the bytes follow the pickle */
  const char *folder;     /* prefix of the names in a zip archive */
  bool swapped;           /* elements are stored in the other byte order */
  tocha_tensor *mapping;  /* the whole file in memory, for options->mmap; NULL: not yet */
  tocha_pending *pending; /* the last one first */
  const char
      *refused; /* the first name that the file may not use; its storages are then not read */
  tocha_stored *stored;
  size_t stored_count, stored_capacity;
  int *slots; /* hash table by key: number + 1 */
  size_t slot_count;
  int64_t bytes, max_bytes; /* bytes of all storages so far, and their maximum */
} tocha_loader;

/* The reference of a storage's value. */
typedef struct tocha_storage_view {
  size_t number; /* index into `stored` */
  tocha_element element;
  int64_t first, count; /* elements */
} tocha_storage_view;

/* --- pickle_read.c -------------------------------------------------------------------------------------- */

/* Runs the pickle at *at, which must end before `end`, and moves *at past it. Returns NULL with
 * an error if it fails. */
const tocha_value *tocha_unpickle(tocha_loader *l, const tocha_source *source, int64_t *at,
                                  int64_t end);

/* --- pickle_globals.c: the allow-list ---------------------------------------------------------------------- */

/* Returns the value that module.name stands for. A name that is not in the list becomes an
 * object; if the file may not use it, it is recorded in l->refused. */
tocha_value *tocha_find_global(tocha_loader *l, const char *module, const char *name);
/* Returns the result of calling a global with `arguments`, a tuple, and `keywords`, a dict or NULL. */
tocha_value *tocha_call_global(tocha_loader *l, const tocha_value *global,
                               const tocha_value *arguments, const tocha_value *keywords);
/* Fails with PyTorch's error for l->refused, and names the place below `root` where it is used.
 * `root` may be NULL. */
void *tocha_fail_refused(tocha_loader *l, const tocha_value *root);

/* --- pickle_objects.c: objects of unknown classes, which become tables ------------------------ */

/* Returns an object {part: name}. `part` is "class" or "global". */
tocha_value *tocha_new_object(tocha_loader *l, const char *part, const tocha_value *name);
/* Returns a part of an object: "class", "global", "args", "kwargs", "state", "items", "entries"; or NULL. */
const tocha_value *tocha_object_part(const tocha_value *object, const char *part);
/* Returns the name of the class or global that an object stands for, or "". */
const char *tocha_object_name(const tocha_value *object);
bool tocha_object_set(tocha_loader *l, tocha_value *object, const char *part, const tocha_value *v);
/* Returns a part that is a list or a dict, and creates it if the object has none yet. */
tocha_value *tocha_object_collection(tocha_loader *l, tocha_value *object, const char *part);
/* Returns the object that stands for a call of an unknown class or function. For classes of Python's library whose values Lua
 * has, returns that value. */
tocha_value *tocha_call_object(tocha_loader *l, const tocha_value *function,
                               const tocha_value *arguments, const tocha_value *keywords);
/* Gives an object its state. */
bool tocha_build_object(tocha_loader *l, tocha_value *object, const tocha_value *state);

/* --- pickle_numpy.c: NumPy's arrays and numbers -------------------------------------------------------------- */

/* Returns the content of an .npy file of texts or objects. */
const tocha_value *tocha_numpy_file(tocha_loader *l, const char *bytes, size_t length);
/* Returns the number that numpy's scalar(dtype, bytes) creates, or NULL without an error if Lua
 * has no such number. */
tocha_value *tocha_numpy_scalar(tocha_loader *l, const tocha_value *arguments);
/* Returns the array that numpy's _frombuffer(bytes, dtype, shape, order) creates, or NULL
 * without an error if there is none. */
tocha_value *tocha_numpy_frombuffer(tocha_loader *l, const tocha_value *arguments);
/* Turns the object that numpy's _reconstruct returned into the array of this state, or leaves it
 * unchanged. Returns false with an error if it fails. */
bool tocha_numpy_build(tocha_loader *l, tocha_value *object, const tocha_value *state);

/* --- storages.c ----------------------------------------------------------------------------------------------- */

/* Returns the storage that a persistent id, a tuple, names. */
tocha_value *tocha_load_storage(tocha_loader *l, const tocha_value *id);
tocha_stored *tocha_find_stored(tocha_loader *l, const char *key);
/* Returns a tensor over a storage. Fails if an element would lie outside the storage. */
tocha_value *tocha_tensor_over(tocha_loader *l, const tocha_value *storage, tocha_element element,
                               const tocha_value *offset, const tocha_value *sizes,
                               const tocha_value *strides, bool requires_grad);
/* Returns the value that stands for a tensor of a type that Tocha lacks. sizes: ints, or NULL. */
tocha_value *tocha_missing_tensor(tocha_loader *l, const char *type, const tocha_value *sizes);
/* Converts the pending tensors whose numbers fit into a dtype. */
bool tocha_convert_pending(tocha_loader *l);
void tocha_loader_free(tocha_loader *l);
/* Parses a device such as "cuda:0". Returns false if the text names none. */
bool tocha_read_device(const char *text, tocha_device *device);

/* --- pickle_write.c ---------------------------------------------------------------------------------------------- */

/* Numbered tensors. No two of them are one object, or, with by_storage, share a storage. */
typedef struct tocha_tensor_set {
  tocha_tensor **all; /* borrowed */
  int64_t *notes;     /* number of the writer's note of each, or -1 */
  size_t count, capacity;
  int *slots; /* hash table: number + 1 */
  size_t slot_count;
  bool by_storage;
} tocha_tensor_set;

typedef struct tocha_saver {
  tocha_context *cx;
  tocha_byte_block out;      /* the pickle */
  bool legacy;               /* storages have six parts */
  int64_t noted;             /* number of values noted so far */
  tocha_tensor_set storages; /* the first tensor over each storage */
  tocha_tensor_set tensors;
} tocha_saver;

/* Appends the pickle of a value. Free the saver's memory with tocha_saver_free in any case. */
bool tocha_pickle(tocha_saver *s, const tocha_value *value);
void tocha_saver_free(tocha_saver *s);
#endif
