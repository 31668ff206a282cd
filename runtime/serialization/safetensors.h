/* safetensors.h: what load.c and save.c need of .safetensors. */
#ifndef TOCHA_SAFETENSORS_H
#define TOCHA_SAFETENSORS_H

#include "serialization/pickle.h"

/* Whether a file of that size that begins so could be one. */
bool tocha_is_safetensors(const char *head, size_t length, int64_t size);
/* All tensors as a dict, in the order of the file. */
const tocha_value *tocha_load_safetensors(tocha_loader *l);
/* Writes a dict of names and tensors; its attributes, a dict of texts, are the metadata. */
bool tocha_save_safetensors(tocha_context *cx, const tocha_value *root, tocha_sink *sink);

typedef struct tocha_safetensors_type {
  const char *name;
  tocha_dtype dtype;   /* TOCHA_NO_DTYPE: Tocha lacks it */
  int bits, rank;      /* rank: by which files are sorted, the highest first */
  const char *foreign; /* the name of a type of tocha_foreign_types, which is converted; or NULL */
} tocha_safetensors_type;

extern const tocha_safetensors_type tocha_safetensors_types[];
extern const int tocha_safetensors_type_count;

#endif
