/* index.h: the elements of a tensor that index tensors reach. */
#ifndef TOCHA_INDEXING_H
#define TOCHA_INDEXING_H

#include "core/tensor.h"
#include "ops/indexing/kernels.h"

/* self[indices] as a row-major shape: its element at some coordinates lies in self at strides, plus the
 * sum over the axes of position * step. An index tensor's dimensions end at index_end, and it is
 * broadcast to the sizes before. */
typedef struct tocha_indexed {
  const char *op; /* for reports of the device's kernels */
  tocha_tensor *self;
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  int64_t strides[TOCHA_MAX_DIMS]; /* of self, in elements; 0 along what is indexed */
  int axes, index_end;
  bool wraps;                            /* negative positions count from the end */
  tocha_tensor *index[TOCHA_MAX_DIMS];   /* int64 or int32 */
  tocha_index_axis axis[TOCHA_MAX_DIMS]; /* steps in elements */
} tocha_indexed;
/* Whether nothing is read or written at all. */
bool tocha_indexed_is_empty(const tocha_indexed *x);

/* self[indices]; entries may be NULL for ":"; masks are expanded. Places, types and shapes are checked. Temporaries belong
 * to the innermost scope. */
bool tocha_index_tensors(tocha_context *cx, const char *op, tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_indexed *x);
/* Whether all its positions are in range: to be asked before anything is read or written. */
bool tocha_check_positions(tocha_context *cx, const tocha_indexed *x);
/* The one mask among indices, with dimensions of size 1 for those of self behind it; *mask stays as it is where there is
 * another index. false: an error, the mask does not fit. */
bool tocha_only_mask(tocha_context *cx, const tocha_tensor *self, int count,
                     tocha_tensor *const *indices, tocha_tensor **mask);
/* The positions index (1-D or 0-dim, int64 or int32) of dimension dim. false without an error where one
 * is out of range; *bad is that one. Of a 0-dim self the result has one dimension. */
bool tocha_index_dimension(tocha_context *cx, const char *op, tocha_tensor *self, int64_t dim,
                           tocha_tensor *index, bool wraps, tocha_indexed *x, int64_t *bad);
/* One position for each element of index (as many dimensions as self): self's element there, along dim.
 * Positions are not checked. */
void tocha_index_elements(const char *op, tocha_tensor *self, int64_t dim, tocha_tensor *index,
                          tocha_indexed *x);
/* What scatter_ and its kind ask of self, index and src before they look at any position; dim is wrapped. */
bool tocha_check_scatter(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                         const tocha_tensor *index, const tocha_tensor *src);
/* Afterwards: whether the numbers of index are in range. */
bool tocha_check_scatter_index(tocha_context *cx, tocha_tensor *self, int64_t dim,
                               tocha_tensor *index, tocha_tensor *src);
/* Whether all of index's positions are in range; else *bad is the first that is not. The kernels of some
 * devices look for themselves: true. */
bool tocha_check_index(tocha_context *cx, tocha_tensor *index, int64_t size, bool wraps,
                       int64_t *bad);

/* The elements as a new tensor, or into the values (of self's dtype; their dimensions end where x's
 * do, and are broadcast). */
tocha_tensor *tocha_index_get(tocha_context *cx, const tocha_indexed *x);
bool tocha_index_get_into(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values);
/* The values into the elements, in order; they share no memory with self. */
bool tocha_index_put_values(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values);
/* scale times the values to the elements, with the same sums in every run. */
bool tocha_index_add_values(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values,
                            tocha_scalar scale);
/* memory (1-D, dense) += source, whose element i lies at the place that strides and offset give to
 * it; several may lie at one. */
bool tocha_add_at_places(tocha_context *cx, tocha_tensor *memory, tocha_tensor *source,
                         const int64_t *strides, int64_t offset);

/* index tensors where self is: those of the CPU are moved to a device; any others elsewhere are an
 * error, and so are freed tensors. moved: room for TOCHA_MAX_DIMS entries. */
bool tocha_place_indices(tocha_context *cx, const tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_tensor **moved);

/* --- index_run.c, for index_accumulate.c ------------------------------------------------------- */

/* The strides of values over x's dimensions. */
void tocha_index_value_strides(const tocha_indexed *x, const tocha_tensor *values,
                               int64_t *strides);
/* index_accumulate.c: adds by sorted keys, where the kernels have `accumulate`. */
bool tocha_index_accumulate(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values,
                            tocha_scalar scale);
/* Warns that the gradient of `weight` will be dense, if `sparse` is true and the weight gets a gradient. Tocha has no sparse
 * tensors. The values are the same. */
void tocha_note_dense_gradient(tocha_context *cx, const tocha_tensor *weight, bool sparse);
/* Bit per dimension of x along which positions change, or meet. */
uint64_t tocha_position_dims(const tocha_indexed *x);
/* Positions over the dimensions in mask, in units of `unit` elements, into the dense keys (int64 or
 * int32). based: self's own distance counts too. */
bool tocha_index_make_keys(tocha_context *cx, const tocha_indexed *x, uint64_t mask, int64_t unit,
                           bool based, tocha_tensor *keys);

#endif
