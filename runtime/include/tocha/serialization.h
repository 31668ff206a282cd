/* serialization.h: PyTorch's checkpoints and .safetensors files: torch.load and torch.save.
 *
 * A checkpoint is the content of a file: a tree of Python values, which belong to it and are
 * freed with it. Reading executes no code: a pickle may name only the classes and functions
 * listed in serialization/pickle_globals.c, and every size is checked against the file before
 * memory is allocated. Functions return NULL or false if they fail (context.h), and then leave
 * no partial result. */
#ifndef TOCHA_SERIALIZATION_H
#define TOCHA_SERIALIZATION_H

#include <stdio.h>

#include "tocha/nn.h"
#include "tocha/optim.h"
#include "tocha/reader.h"
#include "tocha/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_checkpoint tocha_checkpoint;
typedef struct tocha_value tocha_value;

typedef enum tocha_value_kind {
  TOCHA_VALUE_NONE,
  TOCHA_VALUE_BOOL,
  TOCHA_VALUE_INT, /* integers beyond 64 bits are TOCHA_VALUE_FLOAT */
  TOCHA_VALUE_FLOAT,
  TOCHA_VALUE_STRING,
  TOCHA_VALUE_BYTES,
  TOCHA_VALUE_TENSOR, /* parameters too: tocha_is_parameter */
  TOCHA_VALUE_DTYPE,
  TOCHA_VALUE_DEVICE,
  TOCHA_VALUE_SIZE, /* torch.Size: its items are ints */
  TOCHA_VALUE_LIST,
  TOCHA_VALUE_TUPLE,
  TOCHA_VALUE_SET,
  TOCHA_VALUE_DICT,
  TOCHA_VALUE_ORDERED_DICT,
  /* The following kinds occur only in loaded values. */
  TOCHA_VALUE_OBJECT, /* An object of an unknown class: a dict of the data in the file. Its keys
                       * are "class" (the name), "args" and "kwargs" (of the constructor),
                       * "state", "items" (of a list) and "entries" (of a dict). A class or
                       * function itself has only the key "global". */
  TOCHA_VALUE_ARRAY,  /* a NumPy array: a tensor */
  TOCHA_VALUE_MISSING /* a tensor of a type that Tocha lacks: a text, "complex64 [2, 3]" */
} tocha_value_kind;

/* --- reading values --------------------------------------------------------------------------- */

TOCHA_API tocha_value_kind tocha_value_kind_of(const tocha_value *value); /* NULL: NONE */
/* Returns the value, or false, 0 or NULL if it is of another kind. */
TOCHA_API bool tocha_value_bool(const tocha_value *value);
TOCHA_API int64_t tocha_value_int(const tocha_value *value);
TOCHA_API double tocha_value_float(const tocha_value *value); /* also for ints */
/* Returns the text of a string, of bytes or of a missing tensor, ended by a zero that *length
 * does not count. `length` may be NULL. */
TOCHA_API const char *tocha_value_text(const tocha_value *value, size_t *length);
TOCHA_API tocha_tensor *tocha_value_tensor(const tocha_value *value); /* or of an array; borrowed */
TOCHA_API tocha_dtype tocha_value_dtype(const tocha_value *value);
TOCHA_API tocha_device tocha_value_device(const tocha_value *value);
/* Returns the number of items of a list, tuple, set or size, or of entries of a dict, or one of
 * them. Indices count from 0; NULL: no such item. */
TOCHA_API int64_t tocha_value_count(const tocha_value *value);
TOCHA_API const tocha_value *tocha_value_item(const tocha_value *value, int64_t index);
TOCHA_API const tocha_value *tocha_value_key(const tocha_value *dict, int64_t index);
/* Returns the value of a dict's last entry whose key is this text, or NULL if there is none. */
TOCHA_API const tocha_value *tocha_value_find(const tocha_value *dict, const char *key);
/* Returns the attributes of an OrderedDict (a state dict's _metadata): a dict, or NULL. */
TOCHA_API const tocha_value *tocha_value_attributes(const tocha_value *dict);

/* --- creating values -------------------------------------------------------------------------- */

TOCHA_API tocha_checkpoint *tocha_checkpoint_new(tocha_context *cx);
TOCHA_API void tocha_checkpoint_free(tocha_checkpoint *checkpoint); /* NULL is allowed */
TOCHA_API const tocha_value *tocha_checkpoint_root(const tocha_checkpoint *checkpoint);
TOCHA_API bool tocha_checkpoint_set_root(tocha_checkpoint *checkpoint, const tocha_value *value);
/* Returns a value that belongs to the checkpoint; texts are copied, tensors retained. */
TOCHA_API tocha_value *tocha_new_none(tocha_checkpoint *checkpoint);
TOCHA_API tocha_value *tocha_new_bool(tocha_checkpoint *checkpoint, bool flag);
TOCHA_API tocha_value *tocha_new_int(tocha_checkpoint *checkpoint, int64_t number);
TOCHA_API tocha_value *tocha_new_float(tocha_checkpoint *checkpoint, double number);
TOCHA_API tocha_value *tocha_new_string(tocha_checkpoint *checkpoint, const char *text,
                                        size_t length);
TOCHA_API tocha_value *tocha_new_bytes(tocha_checkpoint *checkpoint, const char *bytes,
                                       size_t length);
TOCHA_API tocha_value *tocha_new_tensor(tocha_checkpoint *checkpoint, tocha_tensor *tensor);
TOCHA_API tocha_value *tocha_new_dtype(tocha_checkpoint *checkpoint, tocha_dtype dtype);
TOCHA_API tocha_value *tocha_new_device(tocha_checkpoint *checkpoint, tocha_device device);
/* Creates an empty LIST, TUPLE, SET, SIZE, DICT or ORDERED_DICT. */
TOCHA_API tocha_value *tocha_new_collection(tocha_checkpoint *checkpoint, tocha_value_kind kind);
/* Adds an item to a list, tuple, set or size, or an entry to a dict (key: none, a bool, number,
 * text, tuple, dtype or device). An item or key of NULL means that an earlier call failed, and
 * fails too. */
TOCHA_API bool tocha_value_append(tocha_checkpoint *checkpoint, tocha_value *collection,
                                  const tocha_value *item);
TOCHA_API bool tocha_value_set(tocha_checkpoint *checkpoint, tocha_value *dict,
                               const tocha_value *key, const tocha_value *item);
/* Does the same for a dict's key that is a text. */
TOCHA_API bool tocha_value_set_named(tocha_checkpoint *checkpoint, tocha_value *dict,
                                     const char *name, const tocha_value *item);
/* Stores the versions of the state dict's modules as the dict's attribute _metadata. */
TOCHA_API bool tocha_value_note_modules(tocha_checkpoint *checkpoint, tocha_value *dict,
                                        const tocha_state_dict *state);
TOCHA_API bool tocha_value_set_attributes(tocha_checkpoint *checkpoint, tocha_value *dict,
                                          const tocha_value *attributes);
/* Converts a state dict to an OrderedDict, or an (Ordered)Dict of names and tensors to a state
 * dict, which the caller owns. Entries that are not tensors are noted with their type. */
TOCHA_API tocha_value *tocha_new_state_dict(tocha_checkpoint *checkpoint,
                                            const tocha_state_dict *dict);
TOCHA_API tocha_state_dict *tocha_value_state_dict(tocha_context *cx, const tocha_value *value);

/* Returns the optimizer's state dict, a value of the checkpoint that shares the states' memory: {"state": {0:
 * {"step": tensor, ...}}, "param_groups": [{"lr": 0.1, ..., "params": [0, 1]}]}. */
TOCHA_API tocha_value *tocha_optimizer_state_dict(tocha_checkpoint *checkpoint,
                                                  const tocha_optimizer *optimizer);
/* Loads copies of the states, the options and the fields of a state dict, PyTorch's too. Fails before anything
 * is changed if its groups, their sizes or its kind of optimizer are others. Entries of groups that are no numbers
 * are ignored. */
TOCHA_API bool tocha_optimizer_load_state_dict(tocha_context *cx, tocha_optimizer *optimizer,
                                               const tocha_value *state_dict);
/* Returns the scheduler's state dict, or loads one, PyTorch's too: {"last_epoch": 3, "base_lrs": [0.1], ...}.
 * Functions are no part of it. Entries that it lacks leave the scheduler as it is, and unknown ones are ignored. */
TOCHA_API tocha_value *tocha_scheduler_state_dict(tocha_checkpoint *checkpoint,
                                                  const tocha_scheduler *scheduler);
TOCHA_API bool tocha_scheduler_load_state_dict(tocha_context *cx, tocha_scheduler *scheduler,
                                               const tocha_value *state_dict);

/* --- loading ------------------------------------------------------------------------------------------ */

/* Zero-initialize: every tensor then returns to the device on which it was saved. */
typedef struct tocha_load_options {
  bool mmap;       /* storages of a zip archive stay in the file until they are used */
  bool has_device; /* all tensors go to `device` */
  tocha_device device;
  bool any_class; /* weights_only = false: objects of unknown classes become TOCHA_VALUE_OBJECT;
                   * no code is executed */
  const char *const *
      safe_globals; /* names of the classes allowed if any_class is false, ended by NULL; or NULL */
  /* Returns the tensor to use in place of `storage`, a whole storage that was saved at
   * `location` ("cuda:0"): a tensor of the same dtype and size, in the scope, or `storage`
   * itself. NULL means the saved location, or an error. May be NULL. */
  tocha_tensor *(*place)(tocha_context *cx, void *user, tocha_tensor *storage,
                         const char *location);
  void *user;
  uint64_t reserved[8]; /* zeros; later versions add options in their place */
} tocha_load_options;

/* Loads PyTorch's zip format, its format before 1.6, or .safetensors; the first bytes decide
 * which. `options` may be NULL. */
TOCHA_API tocha_checkpoint *tocha_load(tocha_context *cx, const char *path,
                                       const tocha_load_options *options);
/* Loads from a file's current position. Afterwards the file is at the end of the object (format
 * before 1.6), or at its end. */
TOCHA_API tocha_checkpoint *tocha_load_file(tocha_context *cx, FILE *file,
                                            const tocha_load_options *options);
/* Does the same with a reader. A zip archive is read from its end: a reader that cannot seek is read
 * into memory first. */
TOCHA_API tocha_checkpoint *tocha_load_from(tocha_context *cx, const tocha_reader *reader,
                                            const tocha_load_options *options);
TOCHA_API tocha_checkpoint *tocha_load_bytes(tocha_context *cx, const void *bytes, size_t length,
                                             const tocha_load_options *options);
/* Reads a plain pickle (Python's pickle.dump), or an .npy file of texts or objects, which gives nested lists or one value. */
TOCHA_API tocha_checkpoint *tocha_load_pickle(tocha_context *cx, const void *bytes, size_t length,
                                              const tocha_load_options *options);
/* Loads the state dict that a file holds into a module (tocha_module_load_state_dict, strict or not). */
TOCHA_API bool tocha_module_load(tocha_context *cx, tocha_module *module, const char *path,
                                 bool strict);
/* Does the same with a part of a checkpoint: tocha_value_find(tocha_checkpoint_root(file), "model"). */
TOCHA_API bool tocha_module_load_value(tocha_context *cx, tocha_module *module,
                                       const tocha_value *value, bool strict);
TOCHA_API bool tocha_module_load_from(tocha_context *cx, tocha_module *module,
                                      const tocha_reader *reader, bool strict);

/* --- saving ------------------------------------------------------------------------------------------- */

typedef enum tocha_checkpoint_format {
  TOCHA_FORMAT_ZIP,
  TOCHA_FORMAT_LEGACY, /* PyTorch's format before 1.6 */
  TOCHA_FORMAT_SAFETENSORS /* a dict of names and tensors; a dict of texts as attributes is the metadata */
} tocha_checkpoint_format;

/* Writes beside the path, flushes, and renames: a file of that name is always the complete old
 * one or the complete new one. */
TOCHA_API bool tocha_save(tocha_context *cx, const tocha_checkpoint *checkpoint, const char *path,
                          tocha_checkpoint_format format);
TOCHA_API bool tocha_save_file(tocha_context *cx, const tocha_checkpoint *checkpoint, FILE *file,
                               tocha_checkpoint_format format);
TOCHA_API bool tocha_save_to(tocha_context *cx, const tocha_checkpoint *checkpoint,
                             const tocha_writer *writer, tocha_checkpoint_format format);
/* Returns the bytes of the file. The caller frees them with tocha_free. */
TOCHA_API char *tocha_save_bytes(tocha_context *cx, const tocha_checkpoint *checkpoint,
                                 tocha_checkpoint_format format, size_t *length);
/* Saves a module's state dict. */
TOCHA_API bool tocha_module_save(tocha_context *cx, tocha_module *module, const char *path,
                                 tocha_checkpoint_format format);
TOCHA_API bool tocha_module_save_to(tocha_context *cx, tocha_module *module,
                                    const tocha_writer *writer, tocha_checkpoint_format format);

/* --- .safetensors, tensor by tensor ------------------------------------------------------------------- */

typedef struct tocha_safetensors tocha_safetensors;
/* Reads the head of a file, which must stay open, of a reader, or of bytes, which must stay valid.
 * Returns NULL with an error if it fails. */
TOCHA_API tocha_safetensors *tocha_safetensors_open(tocha_context *cx, FILE *file);
TOCHA_API tocha_safetensors *tocha_safetensors_open_from(tocha_context *cx,
                                                         const tocha_reader *reader);
TOCHA_API tocha_safetensors *tocha_safetensors_from_bytes(tocha_context *cx, const void *bytes,
                                                          size_t length);
TOCHA_API void tocha_safetensors_close(tocha_safetensors *s); /* NULL is allowed */
/* Returns the number of tensors, or the name or the index of one, in the order of the file. */
TOCHA_API int64_t tocha_safetensors_count(const tocha_safetensors *s);
TOCHA_API const char *tocha_safetensors_name(const tocha_safetensors *s, int64_t index);
TOCHA_API int64_t tocha_safetensors_find(const tocha_safetensors *s, const char *name); /* -1 */
/* Returns the dtype, TOCHA_NO_DTYPE if Tocha lacks it, or its name in the file: "F32". */
TOCHA_API tocha_dtype tocha_safetensors_dtype(const tocha_safetensors *s, int64_t index);
TOCHA_API const char *tocha_safetensors_type_name(const tocha_safetensors *s, int64_t index);
TOCHA_API const int64_t *tocha_safetensors_sizes(const tocha_safetensors *s, int64_t index,
                                                 int *ndim);
/* Reads rows first .. stop - 1 of a tensor (stop -1: all); the result is in the scope. */
TOCHA_API tocha_tensor *tocha_safetensors_read(tocha_context *cx, const tocha_safetensors *s,
                                               int64_t index, int64_t first, int64_t stop);
/* Returns the name or the text of entry `index` of the metadata, or NULL after the last. */
TOCHA_API const char *tocha_safetensors_metadata_name(const tocha_safetensors *s, int64_t index);
TOCHA_API const char *tocha_safetensors_metadata_text(const tocha_safetensors *s, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
