/* copy.h: filling and copying tensors, and a tensor in another dtype, device or layout. */
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

/* source's values into target (same sizes after broadcasting), converting; no autograd, no checks of
 * aliasing. */
bool tocha_copy_data(tocha_context *cx, tocha_tensor *target, tocha_tensor *source);
/* The same; not blocking: a copy between host and device may still be under way on return. */
bool tocha_copy_values(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking);
/* t in dtype, any layout: t itself where the type is right. */
tocha_tensor *tocha_as_dtype(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype);
/* A row-major tensor seen as (outer, n, inner) around dimension dim (a 0-dim one as (1, 1, 1)). */
typedef struct tocha_rows {
  int64_t outer, n, inner;
} tocha_rows;
tocha_rows tocha_rows_around(const tocha_tensor *t, int64_t dim);
/* A copy of t on the device, in its order of dimensions; without a graph. */
tocha_tensor *tocha_to_device(tocha_context *cx, tocha_tensor *t, tocha_device device);
/* Fills a row-major tensor. */
void tocha_fill_rows(tocha_tensor *t, tocha_scalar value);

/* The dtype in which the kernels of a device take values of dtype: itself, or float32 for float16 and
 * bfloat16 on the CPU, whose loops have no such types. */
tocha_dtype tocha_kernel_dtype(tocha_device device, tocha_dtype dtype);
/* Whether there is anything to compute: elements, and memory for them (not on the meta device). */
static inline bool tocha_has_elements(const tocha_tensor *t) {
  return t->numel != 0 && t->device.type != TOCHA_META;
}

#endif
