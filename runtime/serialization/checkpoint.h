/* checkpoint.h: the tree of Python's values that a file holds. */
#ifndef TOCHA_CHECKPOINT_H
#define TOCHA_CHECKPOINT_H

#include "core/internal.h"
#include "tocha/serialization.h"

/* What only a pickle machine's stack holds. */
enum { VALUE_MARK = 100, VALUE_GLOBAL, VALUE_STORAGE };

enum { TOCHA_VALUE_DEPTH = 500 }; /* collections within collections, at most */

typedef struct tocha_collection {
  struct tocha_collection *next; /* all of a checkpoint's */
  const tocha_value **items;     /* of a dict: key, value, key, value, ... */
  size_t count, room;            /* of items */
  const tocha_value *attributes;
  int64_t number; /* where the writer noted it; -1: nowhere */
  bool seen;
} tocha_collection;

struct tocha_value {
  uint8_t kind;
  uint8_t extra; /* of a global or storage: pickle_globals.h */
  union {
    bool flag;
    int64_t integer;
    double number;
    const char *bytes; /* a size_t length lies before them */
    tocha_tensor *tensor;
    tocha_dtype dtype;
    tocha_device device;
    tocha_collection *collection;
    const void *other;
  } as;
};

typedef struct tocha_chunk tocha_chunk;

struct tocha_checkpoint {
  tocha_context *context;
  tocha_chunk *chunks;
  tocha_collection *collections;
  tocha_tensor **tensors; /* owned */
  size_t tensor_count, tensor_room;
  const tocha_value *root;
  bool any_keys; /* objects and tensors may be keys, by identity, as in Python */
  size_t
      budget; /* bytes that may still be taken for values: a file gets no more than it can need */
};

/* A value that is no collection: kind and extra; NULL with an error. */
tocha_value *tocha_value_raw(tocha_checkpoint *c, int kind, int extra);
/* A text or bytes to be written to *room, which has a zero behind `length` bytes. */
tocha_value *tocha_value_room(tocha_checkpoint *c, int kind, size_t length, char **room);
/* Memory that goes with the checkpoint. */
void *tocha_checkpoint_take(tocha_checkpoint *c, size_t size);
/* Counts bytes that reading a file takes; false with an error for more than it may. */
bool tocha_checkpoint_charge(tocha_checkpoint *c, size_t bytes);
static inline bool tocha_is_collection(const tocha_value *v) {
  return v->kind >= TOCHA_VALUE_SIZE && v->kind <= TOCHA_VALUE_OBJECT;
}
static inline bool tocha_is_dict(const tocha_value *v) {
  return v->kind >= TOCHA_VALUE_DICT && v->kind <= TOCHA_VALUE_OBJECT;
}
static inline size_t tocha_text_length(const tocha_value *v) {
  return ((const size_t *)(const void *)v->as.bytes)[-1];
}
/* "int", "dict", ...: Python's name of its type. */
const char *tocha_value_type(const tocha_value *v);

#endif
