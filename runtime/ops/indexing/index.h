/* index.h: a tensor seen as rows that are picked by index tensors. */
#ifndef TOCHA_INDEXING_H
#define TOCHA_INDEXING_H

#include "ops/indexing/kernels.h"
#include "core/internal.h"

/* self's dimensions fall into outer ones, indexed ones and inner ones. Row number (o, k) begins at
 * outer position o plus offsets[k] and holds inner_count elements. The picked tensor is row-major
 * with the sizes outer + index shape + inner. */
typedef struct tocha_index_plan {
  tocha_tensor *self;
  int outer_ndim, inner_ndim, ndim; /* ndim: of the picked tensor */
  int64_t outer_sizes[TOCHA_MAX_DIMS], outer_strides[TOCHA_MAX_DIMS];
  int64_t inner_sizes[TOCHA_MAX_DIMS], inner_strides[TOCHA_MAX_DIMS];
  int64_t outer_count, index_count, inner_count;
  const int64_t *offsets; /* elements; NULL on meta */
  int64_t sizes[TOCHA_MAX_DIMS];
  bool inner_dense;
  /* On a device, instead of offsets: the index tensors themselves, which broadcast to the index shape;
   * kernels check them. */
  bool on_device, wraps; /* wraps: negative positions count from the end */
  const char *op;        /* for reports */
  int index_ndim, axes;
  int64_t index_sizes[TOCHA_MAX_DIMS];
  tocha_tensor *index[TOCHA_MAX_DIMS];
  tocha_index_axis axis[TOCHA_MAX_DIMS]; /* steps in elements */
} tocha_index_plan;

/* Plans self[indices] (entries may be NULL for ":"; masks are expanded). Everything is checked:
 * places, types, shapes, bounds (on a device by the kernel). Temporaries belong to the innermost scope.
 * op: for reports. */
bool tocha_plan_indices(tocha_context *cx, const char *op, tocha_tensor *self, int count,
                        tocha_tensor *const *indices, tocha_index_plan *plan);
/* Plans the positions index (1-D or 0-dim, int64 or int32) of dimension dim. false without an error
 * where one is out of range; *bad is that one. wraps: negative ones count from the end. */
bool tocha_plan_dimension(tocha_context *cx, const char *op, tocha_tensor *self, int64_t dim,
                          tocha_tensor *index, bool wraps, tocha_index_plan *plan, int64_t *bad);
/* The picked values as a new tensor. */
tocha_tensor *tocha_plan_get(tocha_context *cx, const tocha_index_plan *plan);
/* values (dense, of the picked shape and self's type, or one element for all) into the rows, in
 * order; accumulate adds scale times them. */
bool tocha_plan_put(tocha_context *cx, const tocha_index_plan *plan, tocha_tensor *values,
                    bool accumulate, tocha_scalar scale);
/* values broadcast to the picked shape, with self's type: dense, on a device of any strides. */
tocha_tensor *tocha_plan_values(tocha_context *cx, const tocha_index_plan *plan,
                                tocha_tensor *values);

/* The coordinates of what is not zero in t: one row-major int64 tensor (ndim, count). */
tocha_tensor *tocha_coordinates(tocha_context *cx, tocha_tensor *t);
/* target[i] += scale * source[i] for n elements of dtype. */
void tocha_add_elements(tocha_dtype dtype, char *target, int64_t target_stride, const char *source,
                        int64_t source_stride, int64_t n, double scale);

#endif
