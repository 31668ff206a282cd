/* copy.h: what the files of ops/ share about filling, copying and reshaping tensors in place. */
#ifndef TOCHA_COPY_H
#define TOCHA_COPY_H

#include "core/internal.h"

/* value, converted, into every element of t. No checks, no autograd. false when interrupted. */
bool tocha_fill_data(tocha_context *cx, tocha_tensor *t, tocha_scalar value);
/* Whether value can be an element of dtype; else false with PyTorch's message. */
bool tocha_check_fits(tocha_context *cx, tocha_scalar value, tocha_dtype dtype);
/* Gives the header t another geometry over the same storage (metadata of in-place view operators;
 * the caller has checked that the storage is large enough). */
bool tocha_set_geometry(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes,
                        const int64_t *strides, int64_t offset);
/* self's values in dtype (TOCHA_NO_DTYPE: its own) as a new tensor, row-major if asked; without a
 * graph. */
tocha_tensor *tocha_converted(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                              bool row_major);
/* The same, row-major; self itself where it is that already. NULL for NULL. */
tocha_tensor *tocha_as_rows(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype);
/* self with dimension `from` at place `to`, the others in their order: a view without a graph. */
tocha_tensor *tocha_with_dim_moved(tocha_context *cx, const tocha_tensor *self, int from, int to);
/* Whether the elements fill one piece of memory, each place once, in any order of dimensions. */
bool tocha_is_dense(const tocha_tensor *t);
/* Whether t has values to look at; on the meta device false with PyTorch's message about `name`. */
bool tocha_check_values(tocha_context *cx, const tocha_tensor *t, const char *name);

#endif
