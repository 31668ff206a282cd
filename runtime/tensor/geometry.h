/* geometry.h: sizes and strides of tensors: views and memory layouts. */
#ifndef TOCHA_GEOMETRY_H
#define TOCHA_GEOMETRY_H

#include "core/internal.h"

/* Gives t another geometry over the same storage, for view operators that work in place. The
 * caller has checked that the storage is large enough. Returns false if memory is short. */
bool tocha_set_geometry(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes,
                        const int64_t *strides, int64_t offset);
/* Returns true if the elements fill one block of memory, each place once, in any order of
 * dimensions. */
bool tocha_is_dense(const tocha_tensor *t);
/* Computes strides that show t's elements as `sizes` without moving them. Returns false if no
 * such strides exist. */
bool tocha_view_strides(const tocha_tensor *t, int ndim, const int64_t *sizes, int64_t *strides);
/* Fails, in PyTorch's words, if self cannot be expanded to the sizes. */
bool tocha_check_expand(tocha_context *cx, const tocha_tensor *self, int count,
                        const int64_t *size);
/* Computes the strides of (N, C, H, W), or of another number of dimensions, with the channels
 * innermost. */
void tocha_channels_last_strides(int ndim, const int64_t *sizes, int64_t *strides);
/* Returns true if t (N, C, ...) has them, except for dimensions of one element. */
bool tocha_has_channels_last_strides(const tocha_tensor *t);
/* A row-major tensor seen as (outer, n, inner) around dimension dim; a 0-dim tensor is (1, 1,
 * 1). */
typedef struct tocha_rows {
  int64_t outer, n, inner;
} tocha_rows;
tocha_rows tocha_rows_around(const tocha_tensor *t, int64_t dim);

/* Returns true if the parameters of a window (kernel, strides, paddings, dilations) fit a C int;
 * else fails with PyTorch's message. */
bool tocha_fits_int(tocha_context *cx, int count, const int64_t *values);

#endif
