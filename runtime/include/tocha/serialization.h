/* serialization.h: PyTorch's checkpoints and .safetensors files: torch.load and torch.save.
 *
 * A checkpoint is what a file holds: a tree of Python's values, all of which belong to it and go with it. Reading executes
 * nothing: a pickle may name only what is listed in serialization/pickle_globals.c, and every size is checked against the
 * file before memory is asked for. NULL or false is a failure (context.h), which leaves nothing behind. */
#ifndef TOCHA_SERIALIZATION_H
#define TOCHA_SERIALIZATION_H

#include <stdio.h>

#include "tocha/nn.h"

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
  TOCHA_VALUE_OBJECT, /* An object of an unknown class: a dict with what the file says of it. Its keys are "class" (the name),
                       * "args" and "kwargs" (of the constructor), "state", "items" (of a list) and "entries" (of a dict). A
                       * class or function itself has only the key "global". */
  TOCHA_VALUE_ARRAY,  /* a NumPy array: a tensor */
  TOCHA_VALUE_MISSING /* a tensor of a type that Tocha lacks: a text, "complex64 [2, 3]" */
} tocha_value_kind;

/* --- looking at values ------------------------------------------------------------------------------ */

TOCHA_API tocha_value_kind tocha_value_kind_of(const tocha_value *value); /* NULL: NONE */
/* Of another kind: false, 0, NULL. */
TOCHA_API bool tocha_value_bool(const tocha_value *value);
TOCHA_API int64_t tocha_value_int(const tocha_value *value);
TOCHA_API double tocha_value_float(const tocha_value *value); /* of ints too */
/* Returns the text of a string, of bytes or of a missing tensor, ended by a zero that *length does not count. `length` may be
 * NULL. */
TOCHA_API const char *tocha_value_text(const tocha_value *value, size_t *length);
TOCHA_API tocha_tensor *tocha_value_tensor(const tocha_value *value); /* or of an array; borrowed */
TOCHA_API tocha_dtype tocha_value_dtype(const tocha_value *value);
TOCHA_API tocha_device tocha_value_device(const tocha_value *value);
/* Items of a list, tuple, set or size; entries of a dict. Places count from 0; NULL: there is none. */
TOCHA_API int64_t tocha_value_count(const tocha_value *value);
TOCHA_API const tocha_value *tocha_value_item(const tocha_value *value, int64_t index);
TOCHA_API const tocha_value *tocha_value_key(const tocha_value *dict, int64_t index);
/* The value of a dict's last entry with this text for a key; NULL: there is none. */
TOCHA_API const tocha_value *tocha_value_find(const tocha_value *dict, const char *key);
/* What an OrderedDict carries beside its entries (a state dict's _metadata): a dict, or NULL. */
TOCHA_API const tocha_value *tocha_value_attributes(const tocha_value *dict);

/* --- making them -------------------------------------------------------------------------------------- */

TOCHA_API tocha_checkpoint *tocha_checkpoint_new(tocha_context *cx);
TOCHA_API void tocha_checkpoint_free(tocha_checkpoint *checkpoint); /* NULL is allowed */
TOCHA_API const tocha_value *tocha_checkpoint_root(const tocha_checkpoint *checkpoint);
TOCHA_API bool tocha_checkpoint_set_root(tocha_checkpoint *checkpoint, const tocha_value *value);
/* Each returns a value of the checkpoint; texts are copied, tensors retained. */
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
/* An empty LIST, TUPLE, SET, SIZE, DICT or ORDERED_DICT. */
TOCHA_API tocha_value *tocha_new_collection(tocha_checkpoint *checkpoint, tocha_value_kind kind);
/* Adds an item to a list, tuple, set or size; an entry to a dict (key: none, a bool, number, text, tuple, dtype or
 * device). NULL for item or key is the failure of an earlier call. */
TOCHA_API bool tocha_value_append(tocha_checkpoint *checkpoint, tocha_value *collection,
                                  const tocha_value *item);
TOCHA_API bool tocha_value_set(tocha_checkpoint *checkpoint, tocha_value *dict,
                               const tocha_value *key, const tocha_value *item);
/* The versions of the state dict's modules as the dict's attribute _metadata. */
TOCHA_API bool tocha_value_note_modules(tocha_checkpoint *checkpoint, tocha_value *dict,
                                        const tocha_state_dict *state);
TOCHA_API bool tocha_value_set_attributes(tocha_checkpoint *checkpoint, tocha_value *dict,
                                          const tocha_value *attributes);
/* A state dict as an OrderedDict, and an (Ordered)Dict of names and tensors as a state dict, which the caller owns;
 * what is no tensor there is noted as such. */
TOCHA_API tocha_value *tocha_new_state_dict(tocha_checkpoint *checkpoint,
                                            const tocha_state_dict *dict);
TOCHA_API tocha_state_dict *tocha_value_state_dict(tocha_context *cx, const tocha_value *value);

/* --- loading ------------------------------------------------------------------------------------------ */

/* Zero-initialize: every tensor goes where it was. */
typedef struct tocha_load_options {
  bool mmap;       /* storages of a zip archive stay in the file until they are used */
  bool has_device; /* all tensors go to `device` */
  tocha_device device;
  bool
      any_class; /* weights_only = false: objects of unknown classes become TOCHA_VALUE_OBJECT; nothing is executed */
  const char *const *
      safe_globals; /* names of the classes allowed if any_class is false, ended by NULL; or NULL */
  /* If set, returns the tensor to use instead of `storage`, a whole storage that was saved at `location` ("cuda:0"): a tensor
   * of the same dtype and size, in the scope; `storage` itself; or NULL for the saved location, or with an error. */
  tocha_tensor *(*place)(tocha_context *cx, void *user, tocha_tensor *storage,
                         const char *location);
  void *user;
} tocha_load_options;

/* PyTorch's zip format, its format before 1.6, or .safetensors, as the first bytes say. options may be NULL. */
TOCHA_API tocha_checkpoint *tocha_load(tocha_context *cx, const char *path,
                                       const tocha_load_options *options);
/* From where a file stands; it stands behind the object of the old format then, else at the end. */
TOCHA_API tocha_checkpoint *tocha_load_file(tocha_context *cx, FILE *file,
                                            const tocha_load_options *options);
TOCHA_API tocha_checkpoint *tocha_load_bytes(tocha_context *cx, const void *bytes, size_t length,
                                             const tocha_load_options *options);
/* Reads a plain pickle (Python's pickle.dump), or an .npy file of texts or objects, which gives nested lists or one value. */
TOCHA_API tocha_checkpoint *tocha_load_pickle(tocha_context *cx, const void *bytes, size_t length,
                                              const tocha_load_options *options);
/* Loads the state dict that a file holds into a module (tocha_module_load_state_dict, strict or not). */
TOCHA_API bool tocha_module_load(tocha_context *cx, tocha_module *module, const char *path,
                                 bool strict);

/* --- saving ------------------------------------------------------------------------------------------- */

typedef enum tocha_checkpoint_format {
  TOCHA_FORMAT_ZIP,
  TOCHA_FORMAT_LEGACY, /* as PyTorch wrote before 1.6 */
  TOCHA_FORMAT_SAFETENSORS /* a dict of names and tensors; a dict of texts as attributes is the metadata */
} tocha_checkpoint_format;

/* Writes beside the path, flushes, and renames: a file of that name is the old one or the new one, whole. */
TOCHA_API bool tocha_save(tocha_context *cx, const tocha_checkpoint *checkpoint, const char *path,
                          tocha_checkpoint_format format);
TOCHA_API bool tocha_save_file(tocha_context *cx, const tocha_checkpoint *checkpoint, FILE *file,
                               tocha_checkpoint_format format);
/* The bytes of the file, from malloc; the caller frees them. */
TOCHA_API char *tocha_save_bytes(tocha_context *cx, const tocha_checkpoint *checkpoint,
                                 tocha_checkpoint_format format, size_t *length);
/* Saves a module's state dict. */
TOCHA_API bool tocha_module_save(tocha_context *cx, tocha_module *module, const char *path,
                                 tocha_checkpoint_format format);

/* --- .safetensors, tensor by tensor ------------------------------------------------------------------- */

typedef struct tocha_safetensors tocha_safetensors;
/* Reads the head of a file, which must stay open, or of bytes, which must stay. NULL with an error. */
TOCHA_API tocha_safetensors *tocha_safetensors_open(tocha_context *cx, FILE *file);
TOCHA_API tocha_safetensors *tocha_safetensors_from_bytes(tocha_context *cx, const void *bytes,
                                                          size_t length);
TOCHA_API void tocha_safetensors_close(tocha_safetensors *s); /* NULL is allowed */
/* Tensors, in the order in which they lie in the file. */
TOCHA_API int64_t tocha_safetensors_count(const tocha_safetensors *s);
TOCHA_API const char *tocha_safetensors_name(const tocha_safetensors *s, int64_t index);
TOCHA_API int64_t tocha_safetensors_find(const tocha_safetensors *s, const char *name); /* -1 */
/* A dtype that Tocha lacks is TOCHA_NO_DTYPE; its name in the file: "F32". */
TOCHA_API tocha_dtype tocha_safetensors_dtype(const tocha_safetensors *s, int64_t index);
TOCHA_API const char *tocha_safetensors_type_name(const tocha_safetensors *s, int64_t index);
TOCHA_API const int64_t *tocha_safetensors_sizes(const tocha_safetensors *s, int64_t index,
                                                 int *ndim);
/* Rows first .. stop - 1 of a tensor (stop -1: all); in the scope. */
TOCHA_API tocha_tensor *tocha_safetensors_read(tocha_context *cx, const tocha_safetensors *s,
                                               int64_t index, int64_t first, int64_t stop);
/* Metadata: texts by name; NULL behind the last. */
TOCHA_API const char *tocha_safetensors_metadata_name(const tocha_safetensors *s, int64_t index);
TOCHA_API const char *tocha_safetensors_metadata_text(const tocha_safetensors *s, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
