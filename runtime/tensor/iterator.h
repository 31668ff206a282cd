/* iterator.h: several strided operands of one shape, visited together.
 *
 * The iterator orders dimensions by stride, collapses those that are dense together and hands
 * one-dimensional runs to a callback, on several threads where that pays. Everything that visits
 * elements goes through it: elementwise operators, copies, reductions. */
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

/* One run of n elements; data and strides (bytes) by operand. */
typedef void (*tocha_run)(void *user, char *const *data, const int64_t *strides, int64_t n);

/* The shape that operands broadcast to. false, with PyTorch's message, when they do not. */
bool tocha_broadcast_sizes(tocha_context *cx, int count, tocha_tensor *const *tensors, int *ndim,
                           int64_t *sizes);
/* order[i]: the dimension that is i-th from the inside by the operands' strides[dimension][operand], 0
 * where one has no say. */
void tocha_order_dimensions(const int64_t (*strides)[TOCHA_MAX_OPERANDS], const int64_t *sizes,
                            int ndim, int operands, int *order);
/* Prepares an iteration over sizes (ndim of them, outermost first) with count operands, each of which
 * broadcasts to sizes; one that is NULL has no data, and strides of 0. */
void tocha_iterator_begin(tocha_iterator *it, tocha_context *cx, int ndim, const int64_t *sizes,
                          int count, tocha_tensor *const *tensors);
/* Visits all elements, in an order of the iterator's choosing. false when interrupted. */
bool tocha_iterator_run(const tocha_iterator *it, tocha_run run, void *user);
/* The same for a kernel of the CPU, whose operands are already laid out. */
bool tocha_run_layout(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                      void *user);
/* The same on one thread and in the layout's order. */
bool tocha_run_layout_in_order(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                               void *user);
/* Either, for layouts of two dimensions and more, with rows in place of elements: `run` is given n rows
 * along dimension 1, and goes along dimension 0 by itself. */
bool tocha_run_layout_rows(tocha_context *cx, const tocha_strided_layout *layout, bool in_order,
                           tocha_run run, void *user);
/* The same for a kernel of the CPU, whose operands are laid out in any order of dimensions. */
bool tocha_run_layout_serial(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                             void *user);

#endif
