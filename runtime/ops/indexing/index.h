/* index.h: the elements of a tensor that index tensors select. */
#ifndef TOCHA_INDEXING_H
#define TOCHA_INDEXING_H

#include "core/tensor.h"
#include "ops/indexing/kernels.h"

/* self[indices] as a row-major shape. The element at some coordinates is in self at the sum of coordinate * stride over the
 * dimensions, plus the sum of position * step over the axes. The dimensions of the index tensors end at index_end, and they
 * broadcast to the sizes before. */
typedef struct tocha_indexed {
  const char *op; /* named in reports of the device's kernels */
  tocha_tensor *self;
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  int64_t strides[TOCHA_MAX_DIMS]; /* of self, in elements; 0 in the index tensors' dimensions */
  int axes, index_end;
  bool wraps;                            /* negative positions count from the end */
  tocha_tensor *index[TOCHA_MAX_DIMS];   /* int64 or int32 */
  tocha_index_axis axis[TOCHA_MAX_DIMS]; /* steps in elements */
} tocha_indexed;
/* Returns true if no element is read or written. */
bool tocha_indexed_is_empty(const tocha_indexed *x);

/* Describes self[indices] in x. Entries may be NULL for ":", and masks are expanded. Devices, dtypes and shapes are checked.
 * Temporary tensors belong to the innermost scope. */
bool tocha_index_tensors(tocha_context *cx, const char *op, tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_indexed *x);
/* Fails unless all positions are in range. Call this before anything is read or written. */
bool tocha_check_positions(tocha_context *cx, const tocha_indexed *x);
/* Sets *mask to the only index if it is a mask, with dimensions of size 1 for those of self behind it. Leaves *mask unchanged
 * if there is another index. Fails if the mask does not fit. */
bool tocha_only_mask(tocha_context *cx, const tocha_tensor *self, int count,
                     tocha_tensor *const *indices, tocha_tensor **mask);
/* Describes the positions `index` (1-D or 0-dim, int64 or int32) of dimension dim. Returns false, without an error, if one is
 * out of range, and sets *bad to it. For a 0-dim self the result has one dimension. */
bool tocha_index_dimension(tocha_context *cx, const char *op, tocha_tensor *self, int64_t dim,
                           tocha_tensor *index, bool wraps, tocha_indexed *x, int64_t *bad);
/* Describes one position for each element of index, which has as many dimensions as self: self's element at that position along
 * dim. Positions are not checked. */
void tocha_index_elements(const char *op, tocha_tensor *self, int64_t dim, tocha_tensor *index,
                          tocha_indexed *x);
/* Checks self, index and src for scatter_ and the like, before any position is read. dim is not negative. */
bool tocha_check_scatter(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                         const tocha_tensor *index, const tocha_tensor *src);
/* Fails unless the positions in index are in range. Call this after tocha_check_scatter. */
bool tocha_check_scatter_index(tocha_context *cx, tocha_tensor *self, int64_t dim,
                               tocha_tensor *index, tocha_tensor *src);
/* Returns true if all positions in index are in range, else sets *bad to the first that is not. Returns true if the device's
 * kernels check positions themselves. */
bool tocha_check_index(tocha_context *cx, tocha_tensor *index, int64_t size, bool wraps,
                       int64_t *bad);

/* Return the elements as a new tensor, or write them to values (of self's dtype; their last dimension is x's last, and they are
 * broadcast). */
tocha_tensor *tocha_index_get(tocha_context *cx, const tocha_indexed *x);
bool tocha_index_get_into(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values);
/* Writes the values to the elements, in order. values share no memory with self. */
bool tocha_index_put_values(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values);
/* Adds scale times the values to the elements, with the same sums in every run. */
bool tocha_index_add_values(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values,
                            tocha_scalar scale);
/* Adds source to memory (1-D, dense). strides and offset give the position of each element of source; several may have the
 * same. */
bool tocha_add_at_places(tocha_context *cx, tocha_tensor *memory, tocha_tensor *source,
                         const int64_t *strides, int64_t offset);

/* Moves index tensors to self's device, if they are on the CPU. Fails if they are on another device, or if a tensor has no
 * data. moved: memory for TOCHA_MAX_DIMS entries. */
bool tocha_place_indices(tocha_context *cx, const tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_tensor **moved);

/* Returns how many bits keys from 0 to `maximum` have, for tocha_sort_args. */
static inline int tocha_key_bits(int64_t maximum) {
  int bits = 1;
  while (bits < 63 && maximum >> bits) bits++;
  return bits;
}

/* --- index_run.c, for index_accumulate.c ------------------------------------------------------- */

/* Writes the strides of values over x's dimensions. */
void tocha_index_value_strides(const tocha_indexed *x, const tocha_tensor *values,
                               int64_t *strides);
/* Adds by sorted keys, if the kernels have `accumulate` (index_accumulate.c). */
bool tocha_index_accumulate(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values,
                            tocha_scalar scale);
/* Warns that the gradient of `weight` will be dense, if `sparse` is true and the weight gets a gradient. Tocha has no sparse
 * tensors. The values are the same. */
void tocha_note_dense_gradient(tocha_context *cx, const tocha_tensor *weight, bool sparse);
/* Returns a bit for each dimension of x along which positions change, or elements coincide. */
uint64_t tocha_position_dims(const tocha_indexed *x);
/* Writes the positions over the dimensions in mask, in units of `unit` elements, to the dense keys (int64 or int32). based:
 * self's own strides count, too. */
bool tocha_index_make_keys(tocha_context *cx, const tocha_indexed *x, uint64_t mask, int64_t unit,
                           bool based, tocha_tensor *keys);

#endif
