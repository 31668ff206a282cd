/* geometry.h: sizes and strides of tensors: views, and how their memory lies. */
#ifndef TOCHA_GEOMETRY_H
#define TOCHA_GEOMETRY_H

#include "core/internal.h"

/* Gives the header t another geometry over the same storage (metadata of in-place view operators;
 * the caller has checked that the storage is large enough). */
bool tocha_set_geometry(tocha_context *cx, tocha_tensor *t, int ndim, const int64_t *sizes,
                        const int64_t *strides, int64_t offset);
/* Whether the elements fill one piece of memory, each place once, in any order of dimensions. */
bool tocha_is_dense(const tocha_tensor *t);
/* Computes strides that show t's elements as `sizes` without moving them. Returns false if there are none. */
bool tocha_view_strides(const tocha_tensor *t, int ndim, const int64_t *sizes, int64_t *strides);
/* Fails, in PyTorch's words, if self cannot be expanded to the sizes. */
bool tocha_check_expand(tocha_context *cx, const tocha_tensor *self, int count,
                        const int64_t *size);
/* The strides of (N, C, H, W) with the channels innermost. */
void tocha_channels_last_strides(const int64_t *sizes, int64_t *strides);
/* A row-major tensor seen as (outer, n, inner) around dimension dim (a 0-dim one as (1, 1, 1)). */
typedef struct tocha_rows {
  int64_t outer, n, inner;
} tocha_rows;
tocha_rows tocha_rows_around(const tocha_tensor *t, int64_t dim);

/* Whether the numbers of windows (kernels, strides, paddings, dilations) are small enough to reckon with; else the error. */
bool tocha_fits_int(tocha_context *cx, int count, const int64_t *values);

#endif
