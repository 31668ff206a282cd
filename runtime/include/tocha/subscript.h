/* subscript.h: the subscript between the brackets of x[...]. */
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
  int64_t start, stop, step; /* INDEX: start; SLICE: step is 1 unless given */
  bool has_start, has_stop;
  tocha_tensor *tensor;
  bool flag;
} tocha_subscript_item;

/* Parses the text of a subscript, "0, 1:, ..., None, ::2", into `items` (room for `max` of
 * them). Positions count from 0, negative ones from the end. If the text is not valid, fails
 * with an error that shows it. */
TOCHA_API bool tocha_subscript_parse(tocha_context *cx, const char *text,
                                     tocha_subscript_item *items, int max, int *count);
/* Returns self[items]: a view if PyTorch returns one, recorded as the same operators. */
TOCHA_API tocha_tensor *tocha_subscript_get(tocha_context *cx, tocha_tensor *self, int count,
                                            const tocha_subscript_item *items);
/* Assigns self[items] = value, with the broadcasting and the type conversion of PyTorch's
 * assignment. */
TOCHA_API bool tocha_subscript_set(tocha_context *cx, tocha_tensor *self, int count,
                                   const tocha_subscript_item *items, tocha_operand value);

#ifdef __cplusplus
}
#endif
#endif
