/* checkpoint.h: the tree of Python values that a file contains. */
#ifndef TOCHA_CHECKPOINT_H
#define TOCHA_CHECKPOINT_H

#include "core/internal.h"
#include "tocha/serialization.h"

/* Kinds of values that exist only on the pickle machine's stack, never in a result. */
enum { VALUE_MARK = 100, VALUE_GLOBAL, VALUE_STORAGE };

enum { TOCHA_VALUE_DEPTH = 500 }; /* maximum depth of collections within collections */

typedef struct tocha_collection {
  struct tocha_collection *next; /* links all collections of a checkpoint */
  const tocha_value **items;     /* in a dict: key, value, key, value, ... */
  size_t count, capacity;        /* numbers of items */
  const tocha_value *attributes;
  int64_t number; /* number of the writer's note of the collection, or -1 */
  bool seen;
} tocha_collection;

struct tocha_value {
  uint8_t kind;
  uint8_t extra; /* for a global or storage: see pickle_globals.h */
  union {
    bool flag;
    int64_t integer;
    double number;
    const char *bytes; /* the length, a size_t, is stored before them */
    tocha_tensor *tensor;
    tocha_dtype dtype;
    tocha_device device;
    tocha_collection *collection;
    const void *other;
  } as;
};

typedef struct tocha_value_chunk tocha_value_chunk;

struct tocha_checkpoint {
  tocha_context *context;
  tocha_value_chunk *chunks;
  tocha_collection *collections;
  tocha_tensor **tensors; /* owned */
  size_t tensor_count, tensor_capacity;
  const tocha_value *root;
  bool any_keys;   /* objects and tensors may be keys, by identity, as in Python */
  uint64_t budget; /* bytes that values may still take: a file gets no more than it can need */
};

/* Returns a value that is not a collection, with its kind and extra. Returns NULL with an error
 * if it fails. */
tocha_value *tocha_value_raw(tocha_checkpoint *c, int kind, int extra);
/* Returns a text or bytes whose content the caller writes to *content; a zero follows its `length`
 * bytes. */
tocha_value *tocha_value_unfilled(tocha_checkpoint *c, int kind, size_t length, char **content);
/* Returns memory that is freed with the checkpoint. */
void *tocha_checkpoint_take(tocha_checkpoint *c, size_t size);
/* Counts bytes that reading a file takes. Fails if they exceed the budget. */
bool tocha_checkpoint_charge(tocha_checkpoint *c, uint64_t bytes);
static inline bool tocha_is_collection(const tocha_value *v) {
  return v->kind >= TOCHA_VALUE_SIZE && v->kind <= TOCHA_VALUE_OBJECT;
}
static inline bool tocha_is_dict(const tocha_value *v) {
  return v->kind >= TOCHA_VALUE_DICT && v->kind <= TOCHA_VALUE_OBJECT;
}
static inline size_t tocha_text_length(const tocha_value *v) {
  return ((const size_t *)(const void *)v->as.bytes)[-1];
}
/* Returns Python's name of the value's type: "int", "dict", ... */
const char *tocha_value_type(const tocha_value *v);
/* Returns a bool, int or float, or reads one, or the only element of a tensor. Reading returns false
 * for another value. */
tocha_value *tocha_new_scalar(tocha_checkpoint *c, tocha_scalar number);
bool tocha_value_scalar(tocha_context *cx, const tocha_value *v, tocha_scalar *number);

#endif
