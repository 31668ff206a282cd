/* pooling.h: reads and checks the parameters of pooling operators (parameters.c), and runs them
 * (run.c). */
#ifndef TOCHA_POOLING_H
#define TOCHA_POOLING_H

#include "core/internal.h"
#include "ops/pooling/kernels.h"

/* A list argument of an operator. */
typedef struct tocha_pool_list {
  int count;
  const int64_t *values;
} tocha_pool_list;

/* The lists of one call. An empty stride means the kernel's sizes; dilation.values may be NULL and
 * means 1. */
typedef struct tocha_pool_lists {
  tocha_pool_list kernel, stride, padding, dilation;
  bool ceil_mode;
} tocha_pool_lists;

/* Read the windows over the last `space` dimensions of self, and the sizes of the result. Fail if a
 * parameter is wrong. */
bool tocha_read_max_pool(tocha_context *cx, const tocha_tensor *self, int space,
                         const tocha_pool_lists *lists, tocha_pool_args *args);
bool tocha_read_average_pool(tocha_context *cx, const tocha_tensor *self, int space,
                             const tocha_pool_lists *lists, const int64_t *divisor,
                             tocha_pool_args *args);
/* Reads the windows of a gradient for an input of these sizes. lists: NULL for adaptive windows.
 * Fails if grad does not have the sizes of the result. */
bool tocha_read_pool_backward(tocha_context *cx, const tocha_tensor *grad, int count,
                              const int64_t *sizes, int space, const tocha_pool_lists *lists,
                              tocha_pool_args *args);
/* Sets the windows without checks, for a call that has already succeeded. */
void tocha_set_pool_windows(tocha_pool_windows *w, int space, const tocha_pool_lists *lists,
                            const int64_t *in);
/* Sets adaptive windows. out: the last `space` sizes of the result. */
void tocha_set_adaptive_windows(tocha_pool_windows *w, int space, const int64_t *in,
                                const int64_t *out);

/* Writes t's sizes, such as "[2, 3]", into text and returns it. */
const char *tocha_pool_sizes(const tocha_tensor *t, char text[256]);

/* Writes the sizes of t, with the last `space` sizes replaced by `last`. */
void tocha_pooled_sizes(const tocha_tensor *t, int space, const int64_t *last, int64_t *sizes);

/* The dtypes that an operator accepts on the CPU. On a GPU all floating dtypes are accepted. */
typedef enum tocha_pool_types {
  TOCHA_POOL_FLOATS,
  TOCHA_POOL_LONG, /* floating and int64 */
  TOCHA_POOL_WIDE, /* float32, float64, int64 */
  TOCHA_POOL_NUMBERS
} tocha_pool_types;

/* Pools self. Fails if its dtype is not one of `types`; the message names `kernel`. max: computes
 * the maximum, and its indices unless `indices` is NULL; else the average. */
tocha_tensor *tocha_pool(tocha_context *cx, tocha_tensor *self, int space, tocha_pool_args *args,
                         const char *kernel, tocha_pool_types types, bool max,
                         tocha_tensor **indices);
/* Returns the gradient of an average for an input of these sizes. */
tocha_tensor *tocha_pool_backward(tocha_context *cx, tocha_tensor *grad, int count,
                                  const int64_t *sizes, tocha_pool_args *args);

/* Returns t with its last `space` dimensions joined into one. */
tocha_tensor *tocha_pool_flat(tocha_context *cx, tocha_tensor *t, int64_t space);

#endif
