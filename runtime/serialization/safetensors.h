/* safetensors.h: the parts of .safetensors files that load.c and save.c use. */
#ifndef TOCHA_SAFETENSORS_H
#define TOCHA_SAFETENSORS_H

#include "serialization/pickle.h"

/* Returns true if a file of this size that begins with `head` could be a .safetensors file. */
bool tocha_is_safetensors(const char *head, size_t length, int64_t size);
/* Returns all tensors as a dict, in the order of the file. */
const tocha_value *tocha_load_safetensors(tocha_loader *l);
/* Writes a dict of names and tensors; its attributes, a dict of texts, are the metadata. */
bool tocha_save_safetensors(tocha_context *cx, const tocha_value *root, tocha_sink *sink);

typedef struct tocha_safetensors_type {
  const char *name;
  tocha_dtype dtype;   /* TOCHA_NO_DTYPE if Tocha lacks the type */
  int bits, rank;      /* rank: the order of tensors in a file, the highest first */
  const char *foreign; /* the type of tocha_foreign_types that it is converted from, or NULL */
} tocha_safetensors_type;

extern const tocha_safetensors_type tocha_safetensors_types[];
extern const int tocha_safetensors_type_count;

#endif
