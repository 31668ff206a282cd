/* pooling.h: the parameters of a pooling operator, read and checked (parameters.c), and the run of it (run.c). */
#ifndef TOCHA_POOLING_H
#define TOCHA_POOLING_H

#include "core/internal.h"
#include "ops/pooling/kernels.h"

/* A list argument as an operator gets it. */
typedef struct tocha_pool_list {
  int count;
  const int64_t *values;
} tocha_pool_list;

/* The lists of one call. stride: where empty as kernel; dilation NULL: 1. */
typedef struct tocha_pool_lists {
  tocha_pool_list kernel, stride, padding, dilation;
  bool ceil_mode;
} tocha_pool_lists;

/* Windows over the last `space` dimensions of self, and the sizes of what they hold. */
bool tocha_read_max_pool(tocha_context *cx, const tocha_tensor *self, int space,
                         const tocha_pool_lists *lists, tocha_pool_args *args);
bool tocha_read_average_pool(tocha_context *cx, const tocha_tensor *self, int space,
                             const tocha_pool_lists *lists, const int64_t *divisor,
                             tocha_pool_args *args);
/* Windows of a gradient for an input of these sizes; lists NULL: adaptive ones. An error where they do not go together. */
bool tocha_read_pool_backward(tocha_context *cx, const tocha_tensor *grad, int count,
                              const int64_t *sizes, int space, const tocha_pool_lists *lists,
                              tocha_pool_args *args);
/* Windows without checks, as for a call that went well. */
void tocha_set_pool_windows(tocha_pool_windows *w, int space, const tocha_pool_lists *lists,
                            const int64_t *in);
/* Adaptive ones; out: the last `space` sizes of the result. */
void tocha_set_adaptive_windows(tocha_pool_windows *w, int space, const int64_t *in,
                                const int64_t *out);

/* "[2, 3]" in a text of its own. */
const char *tocha_pool_sizes(const tocha_tensor *t, char text[256]);

/* Sizes of t, but of the last `space` dimensions these. */
void tocha_pooled_sizes(const tocha_tensor *t, int space, const int64_t *last, int64_t *sizes);

/* The dtypes that an operator takes on the CPU. On a GPU it takes all floating ones. */
typedef enum tocha_pool_types {
  TOCHA_POOL_FLOATS,
  TOCHA_POOL_LONG, /* floating and int64 */
  TOCHA_POOL_WIDE, /* float32, float64, int64 */
  TOCHA_POOL_NUMBERS
} tocha_pool_types;

/* Pools self, whose dtype must be one of types: kernel names it in messages. max: the maximum, and its places unless
 * indices is NULL; else an average. */
tocha_tensor *tocha_pool(tocha_context *cx, tocha_tensor *self, int space, tocha_pool_args *args,
                         const char *kernel, tocha_pool_types types, bool max,
                         tocha_tensor **indices);
/* The gradient of an average for an input of these sizes. */
tocha_tensor *tocha_pool_backward(tocha_context *cx, tocha_tensor *grad, int count,
                                  const int64_t *sizes, tocha_pool_args *args);

/* t with its last `space` dimensions as one. */
tocha_tensor *tocha_pool_flat(tocha_context *cx, tocha_tensor *t, int64_t space);

#endif
