/* subscript.h: what stands between the brackets of x[...]. */
#ifndef TOCHA_SUBSCRIPT_H
#define TOCHA_SUBSCRIPT_H

#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tocha_subscript_kind {
  TOCHA_SUBSCRIPT_INDEX,    /* start */
  TOCHA_SUBSCRIPT_SLICE,    /* start:stop:step */
  TOCHA_SUBSCRIPT_ELLIPSIS, /* ... */
  TOCHA_SUBSCRIPT_NONE,     /* None: a new dimension */
  TOCHA_SUBSCRIPT_TENSOR,   /* positions, or a mask */
  TOCHA_SUBSCRIPT_BOOL      /* True or False: flag */
} tocha_subscript_kind;

typedef struct tocha_subscript_item {
  tocha_subscript_kind kind;
  int64_t start, stop, step; /* INDEX: start; SLICE: step 1 where none was given */
  bool has_start, has_stop;
  tocha_tensor *tensor;
  bool flag;
} tocha_subscript_item;

/* Reads the text of a subscript, "0, 1:, ..., None, ::2", into items (room for `max` of them).
 * Positions count from 0, negative ones from the end. false, with an error that shows the text,
 * where it cannot be read. */
TOCHA_API bool tocha_subscript_parse(tocha_context *cx, const char *text,
                                     tocha_subscript_item *items, int max, int *count);
/* self[items]: a view wherever PyTorch gives one, and recorded as the same operators. */
TOCHA_API tocha_tensor *tocha_subscript_get(tocha_context *cx, tocha_tensor *self, int count,
                                            const tocha_subscript_item *items);
/* self[items] = value, with the broadcasting and the types of PyTorch's assignment. */
TOCHA_API bool tocha_subscript_set(tocha_context *cx, tocha_tensor *self, int count,
                                   const tocha_subscript_item *items, tocha_operand value);

#ifdef __cplusplus
}
#endif
#endif
