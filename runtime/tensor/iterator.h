/* iterator.h: visits the elements of several strided operands of one shape together.
 *
 * The iterator orders the dimensions by stride, collapses those that are dense together and
 * passes one-dimensional runs to a callback, on several threads if that pays. Elementwise
 * operators, copies and reductions all visit their elements through it. */
#ifndef TOCHA_ITERATOR_H
#define TOCHA_ITERATOR_H

#include "core/internal.h"
#include "device/strided.h"
#include "tensor/parallel.h"

enum { TOCHA_MAX_OPERANDS = 6 };

typedef struct tocha_iterator {
  tocha_context *cx;
  int ndim, operands;
  int64_t numel;
  int64_t sizes[TOCHA_MAX_DIMS]; /* innermost first */
  char *data[TOCHA_MAX_OPERANDS];
  int64_t strides[TOCHA_MAX_DIMS][TOCHA_MAX_OPERANDS]; /* bytes */
} tocha_iterator;

/* Handles one run of n elements; `data` and `strides` (in bytes) have an entry for each operand. */
typedef void (*tocha_run)(void *user, char *const *data, const int64_t *strides, int64_t n);

/* Computes the shape that the operands broadcast to. Fails with PyTorch's message if they do
 * not. */
bool tocha_broadcast_sizes(tocha_context *cx, int count, tocha_tensor *const *tensors, int *ndim,
                           int64_t *sizes);
/* Sorts the dimensions: order[i] becomes the dimension that is i-th from the inside. Decides by
 * strides[dimension][operand], which is 0 if the operand has no preference. */
void tocha_order_dimensions(const int64_t (*strides)[TOCHA_MAX_OPERANDS], const int64_t *sizes,
                            int ndim, int operands, int *order);
/* Prepares an iteration over `sizes` (ndim of them, outermost first) with `count` operands, each
 * of which broadcasts to `sizes`. An operand that is NULL has no data and strides of 0. */
void tocha_iterator_begin(tocha_iterator *it, tocha_context *cx, int ndim, const int64_t *sizes,
                          int count, tocha_tensor *const *tensors);
/* Visits all elements, in an order of the iterator's choosing. Returns false if interrupted. */
bool tocha_iterator_run(const tocha_iterator *it, tocha_run run, void *user);
/* Does the same for a kernel of the CPU, whose operands are already laid out. */
bool tocha_run_layout(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                      void *user);
/* Does the same on one thread and in the layout's order. */
bool tocha_run_layout_in_order(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                               void *user);
/* Works as tocha_run_layout, or with `in_order` as tocha_run_layout_in_order, on layouts of two
 * or more dimensions with rows in place of elements: `run` receives n rows along dimension 1,
 * and itself loops along dimension 0. */
bool tocha_run_layout_rows(tocha_context *cx, const tocha_strided_layout *layout, bool in_order,
                           tocha_run run, void *user);
/* Does the same as tocha_run_layout on one thread. The layout's dimensions may be in any order,
 * and are sorted first. */
bool tocha_run_layout_serial(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                             void *user);

#endif
