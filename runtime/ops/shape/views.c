/* views.c: tensors that share the memory of another: view, permute, select, slice, expand. */
#include "ops/shape/views.h"
#include "ops/indexing/kernels.h"

#include <string.h>

#include "autograd/node.h"
#include "tensor/copy.h"
#include "shape/implementations.h"
#include "tocha/ops/as_strided_view.h"
#include "tocha/ops/as_strided_view_copy.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/slice.h"
#include "tocha/ops/unsafe_view.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/view.h"

/* --- reshaping --------------------------------------------------------------------------------------- */

/* Copies `asked` to `sizes` and replaces -1 so that the sizes hold numel elements. Fails if that is
 * impossible. */
static bool infer_size(tocha_context *cx, int count, const int64_t *asked, int64_t numel,
                       int64_t *sizes) {
  int64_t product = 1;
  int inferred = -1;
  char text[256];
  for (int i = 0; i < count; i++) {
    sizes[i] = asked[i];
    if (asked[i] == -1 && inferred >= 0) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "only one dimension can be inferred");
      return false;
    } else if (asked[i] == -1) {
      inferred = i;
    } else if (asked[i] < 0) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "invalid shape dimension %lld at index %d of shape %s",
                 (long long)asked[i], i, tocha_shape_text(count, asked, text, sizeof text));
      return false;
    } else if (__builtin_mul_overflow(product, asked[i], &product)) {
      product = -1;
      break;
    }
  }
  if (inferred >= 0 && product == 0 && numel == 0) {
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "cannot reshape tensor of 0 elements into shape %s because the unspecified dimension "
        "size -1 can be any value and is ambiguous",
        tocha_shape_text(count, asked, text, sizeof text));
    return false;
  }
  if (product == numel || (inferred >= 0 && product > 0 && numel % product == 0)) {
    if (inferred >= 0) sizes[inferred] = numel / product;
    if (inferred >= 0 || product == numel) return true;
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "shape '%s' is invalid for input of size %lld",
             tocha_shape_text(count, asked, text, sizeof text), (long long)numel);
  return false;
}

tocha_tensor *tocha_op_view(tocha_context *cx, tocha_tensor *self, int size_count,
                            const int64_t *size) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  if (size_count > TOCHA_MAX_DIMS)
    return tocha_tensor_header(cx, size_count, self->dtype, self->device);
  if (!infer_size(cx, size_count, size, self->numel, sizes)) return NULL;
  if (!tocha_view_strides(self, size_count, sizes, strides)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "view size is not compatible with input tensor's size and stride (at least one "
               "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
    return NULL;
  }
  return tocha_alias(cx, self, size_count, sizes, strides, self->offset);
}

/* Copies self, because a copy can have any shape, whatever self's strides are. */
tocha_tensor *tocha_op_view_copy(tocha_context *cx, tocha_tensor *self, int size_count,
                                 const int64_t *size) {
  tocha_tensor *copy = tocha_copy_rows(cx, self);
  return copy ? tocha_op_view(cx, copy, size_count, size) : NULL;
}

tocha_tensor *tocha_op_reshape(tocha_context *cx, tocha_tensor *self, int shape_count,
                               const int64_t *shape) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  if (shape_count > TOCHA_MAX_DIMS) return tocha_op_view(cx, self, shape_count, shape);
  if (!infer_size(cx, shape_count, shape, self->numel, sizes)) return NULL;
  if (tocha_view_strides(self, shape_count, sizes, strides))
    return tocha_view(cx, self, shape_count, sizes);
  tocha_tensor *copy = tocha_clone_full(cx, self, "torch.contiguous_format");
  return copy ? tocha_unsafe_view(cx, copy, shape_count, sizes) : NULL;
}

/* Implements view(dtype): reads the bytes as another dtype. The size of the last dimension changes
 * with the dtype's. */
tocha_tensor *tocha_op_view_dtype(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS], offset = self->offset;
  int64_t from = (int64_t)tocha_dtype_size(self->dtype), to = (int64_t)tocha_dtype_size(dtype);
  const char *a = tocha_dtype_scalar_type(self->dtype), *b = tocha_dtype_scalar_type(dtype);
  int n = self->ndim;
  memcpy(sizes, self->sizes, (size_t)n * sizeof *sizes);
  memcpy(strides, self->strides, (size_t)n * sizeof *strides);
  if (from != to) {
    if (n == 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "self.dim() cannot be 0 to view %s as %s (different element sizes)", a, b);
    int64_t ratio = to > from ? to / from : from / to;
    if (to > from && sizes[n - 1] % ratio)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "self.size(-1) must be divisible by %lld to view %s as %s (different "
                        "element sizes), but got %lld",
                        (long long)ratio, a, b, (long long)sizes[n - 1]);
    if (strides[n - 1] != 1)
      return tocha_fail(
          cx, TOCHA_RUNTIME_ERROR,
          "self.stride(-1) must be 1 to view %s as %s (different element sizes), but got %lld", a,
          b, (long long)strides[n - 1]);
    for (int i = 0; i < n - 1 && to > from; i++)
      if (strides[i] % ratio)
        return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                          "self.stride(%d) must be divisible by %lld to view %s as %s (different "
                          "element sizes), but got %lld",
                          i, (long long)ratio, a, b, (long long)strides[i]);
    if (to > from && offset % ratio)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "self.storage_offset() must be divisible by %lld to view %s as %s "
                        "(different element sizes), but got %lld",
                        (long long)ratio, a, b, (long long)offset);
    sizes[n - 1] = to > from ? sizes[n - 1] / ratio : sizes[n - 1] * ratio;
    for (int i = 0; i < n - 1; i++)
      strides[i] = to > from ? strides[i] / ratio : strides[i] * ratio;
    offset = to > from ? offset / ratio : offset * ratio;
  }
  tocha_tensor *t = tocha_alias(cx, self, n, sizes, strides, offset);
  if (t) t->dtype = (uint8_t)dtype;
  if (t && dtype != self->dtype && (dtype == TOCHA_BOOL || self->dtype == TOCHA_BOOL))
    tocha_storage_note_odd_bools(t->storage);
  return t;
}

tocha_tensor *tocha_op_view_alias(tocha_context *cx, tocha_tensor *self) {
  return tocha_shallow(cx, self);
}

/* --- the order of dimensions ------------------------------------------------------------------------- */

tocha_tensor *tocha_op_permute(tocha_context *cx, tocha_tensor *self, int dims_count,
                               const int64_t *dims) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  bool seen[TOCHA_MAX_DIMS] = {false};
  if (dims_count != self->ndim)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "permute(sparse_coo): number of dimensions in the tensor input does not match "
        "the length of the desired ordering of dimensions i.e. input.dim() = %d is not "
        "equal to len(dims) = %d",
        self->ndim, dims_count);
  for (int i = 0; i < dims_count; i++) {
    int64_t d = dims[i];
    if (!tocha_wrap_dim(cx, &d, self->ndim)) return NULL;
    if (seen[d])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "permute(): duplicate dims are not allowed.");
    seen[d] = true;
    sizes[i] = self->sizes[d];
    strides[i] = self->strides[d];
  }
  return tocha_alias(cx, self, dims_count, sizes, strides, self->offset);
}

bool tocha_permute_backward(tocha_backward_frame *f) {
  int64_t inverse[TOCHA_MAX_DIMS];
  int n = f->args[1].count;
  if (!f->grads[0]) return true;
  for (int i = 0; i < n; i++) {
    int64_t d = f->args[1].value.ints[i];
    inverse[d < 0 ? d + n : d] = i;
  }
  f->out[0] = tocha_permute(f->cx, f->grads[0], n, inverse);
  return f->out[0] != NULL;
}

tocha_tensor *tocha_op_transpose(tocha_context *cx, tocha_tensor *self, int64_t dim0,
                                 int64_t dim1) {
  if (!tocha_wrap_dim(cx, &dim0, self->ndim) || !tocha_wrap_dim(cx, &dim1, self->ndim)) return NULL;
  tocha_tensor *t = tocha_shallow(cx, self);
  if (!t || t->ndim == 0) return t;
  t->sizes[dim0] = self->sizes[dim1];
  t->sizes[dim1] = self->sizes[dim0];
  t->strides[dim0] = self->strides[dim1];
  t->strides[dim1] = self->strides[dim0];
  tocha_tensor_finish(t);
  return t;
}

tocha_tensor *tocha_op_t(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim > 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "t() expects a tensor with <= 2 dimensions, but self is %dD", self->ndim);
  return self->ndim < 2 ? tocha_shallow(cx, self) : tocha_op_transpose(cx, self, 0, 1);
}

/* --- dimensions of size one -------------------------------------------------------------------------- */

/* Removes the marked dimensions of size 1. */
static tocha_tensor *squeeze(tocha_context *cx, tocha_tensor *self, const bool *marked) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  int n = 0;
  for (int i = 0; i < self->ndim; i++) {
    if (marked[i] && self->sizes[i] == 1) continue;
    sizes[n] = self->sizes[i];
    strides[n++] = self->strides[i];
  }
  return tocha_alias(cx, self, n, sizes, strides, self->offset);
}

tocha_tensor *tocha_op_squeeze(tocha_context *cx, tocha_tensor *self) {
  bool marked[TOCHA_MAX_DIMS];
  memset(marked, true, sizeof marked);
  return squeeze(cx, self, marked);
}

bool tocha_mark_dims(tocha_context *cx, int count, const int64_t *dims, int ndim, bool *marked) {
  memset(marked, false, TOCHA_MAX_DIMS * sizeof *marked);
  for (int i = 0; i < count; i++) {
    int64_t d = dims[i];
    if (!tocha_wrap_dim(cx, &d, ndim)) return false;
    if (marked[d]) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "dim %lld appears multiple times in the list of dims",
                 (long long)d);
      return false;
    }
    marked[d] = true;
  }
  return true;
}

tocha_tensor *tocha_op_squeeze_dims(tocha_context *cx, tocha_tensor *self, int dim_count,
                                    const int64_t *dim) {
  bool marked[TOCHA_MAX_DIMS];
  if (!tocha_mark_dims(cx, dim_count, dim, self->ndim, marked)) return NULL;
  return squeeze(cx, self, marked);
}

tocha_tensor *tocha_op_unsqueeze(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  int64_t sizes[TOCHA_MAX_DIMS + 1], strides[TOCHA_MAX_DIMS + 1];
  int n = self->ndim + 1;
  if (!tocha_wrap_dim(cx, &dim, n)) return NULL;
  for (int i = 0, from = 0; i < n; i++) {
    if (i == dim) {
      sizes[i] = 1;
      strides[i] = dim < self->ndim ? self->sizes[dim] * self->strides[dim] : 1;
    } else {
      sizes[i] = self->sizes[from];
      strides[i] = self->strides[from++];
    }
  }
  return tocha_alias(cx, self, n, sizes, strides, self->offset);
}

/* Restores the dimensions of size 1 that squeeze removed. */
bool tocha_squeeze_backward(tocha_backward_frame *f) {
  tocha_shape s = tocha_edge_shape(f, 0);
  tocha_tensor *grad = f->grads[0];
  for (int i = 0; grad && grad->ndim < s.ndim; i++)
    if (s.sizes[i] == 1 && (i >= grad->ndim || grad->sizes[i] != 1))
      grad = tocha_unsqueeze(f->cx, grad, i);
  f->out[0] = grad;
  return !tocha_failed(f->cx);
}

/* --- expand ------------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_expand(tocha_context *cx, tocha_tensor *self, int size_count,
                              const int64_t *size, bool implicit) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  (void)implicit;
  if (size_count < self->ndim && !tocha_check_expand(cx, self, size_count, size)) return NULL;
  if (size_count > TOCHA_MAX_DIMS)
    return tocha_tensor_header(cx, size_count, self->dtype, self->device);
  for (int i = size_count - 1; i >= 0; i--) {
    int from = i - (size_count - self->ndim);
    sizes[i] = size[i];
    if (from < 0) {
      if (size[i] < 0)
        return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                          "The expanded size of the tensor (%lld) isn't allowed in a leading, "
                          "non-existing dimension %d",
                          (long long)size[i], i);
      bool leads = size[i] == 1 && self->ndim; /* the stride that unsqueeze would give */
      strides[i] = leads ? tocha_wrapping_product(sizes[i + 1], strides[i + 1]) : 0;
      continue;
    }
    if (size[i] == -1) sizes[i] = self->sizes[from];
    strides[i] = self->strides[from];
    if (sizes[i] == self->sizes[from]) continue;
    if (self->sizes[from] != 1) {
      tocha_check_expand(cx, self, size_count, size);
      return NULL;
    }
    if (size[i] < 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
    strides[i] = 0;
  }
  return tocha_alias(cx, self, size_count, sizes, strides, self->offset);
}

/* --- parts ------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_select(tocha_context *cx, tocha_tensor *self, int64_t dim, int64_t index) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  char text[256];
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "select() cannot be applied to a 0-dim tensor.");
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  int64_t size = self->sizes[dim];
  if (index < -size || index >= size)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "select(): index %lld out of range for tensor of size %s at dimension %lld",
                      (long long)index,
                      tocha_shape_text(self->ndim, self->sizes, text, sizeof text), (long long)dim);
  if (index < 0) index += size;
  int n = 0;
  for (int i = 0; i < self->ndim; i++) {
    if (i == dim) continue;
    sizes[n] = self->sizes[i];
    strides[n++] = self->strides[i];
  }
  return tocha_alias(cx, self, n, sizes, strides, self->offset + index * self->strides[dim]);
}

/* Limits Python's slice start:stop over a dimension of `size` to first <= last within 0..size. */
static void slice_bounds(int64_t size, const int64_t *start, const int64_t *stop, int64_t *first,
                         int64_t *last) {
  int64_t a = start ? *start : 0, b = stop ? *stop : size;
  if (a < 0) a += size;
  if (b < 0) b += size;
  a = a < 0 ? 0 : a > size ? size : a;
  b = b < a ? a : b > size ? size : b;
  *first = a;
  *last = b;
}

tocha_tensor *tocha_op_slice(tocha_context *cx, tocha_tensor *self, int64_t dim,
                             const int64_t *start, const int64_t *stop, int64_t step) {
  int64_t first, last;
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "slice() cannot be applied to a 0-dim tensor.");
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (step <= 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "slice step must be positive");
  slice_bounds(self->sizes[dim], start, stop, &first, &last);
  tocha_tensor *t = tocha_shallow(cx, self);
  if (!t) return NULL;
  t->offset += first * t->strides[dim];
  t->sizes[dim] = (last - first) / step + ((last - first) % step != 0);
  t->strides[dim] = tocha_wrapping_product(t->strides[dim], step);
  tocha_tensor_finish(t);
  return t;
}

tocha_tensor *tocha_op_narrow(tocha_context *cx, tocha_tensor *self, int64_t dim, int64_t start,
                              int64_t length) {
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "narrow() cannot be applied to a 0-dim tensor.");
  if (length < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "narrow(): length must be non-negative.");
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  int64_t size = self->sizes[dim];
  if (start < -size || start > size)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "start out of range (expected to be in range of [%lld, %lld], but got %lld)",
                      (long long)-size, (long long)size, (long long)start);
  if (start < 0) start += size;
  if (length > size - start)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "start (%lld) + length (%lld) exceeds dimension size (%lld).",
                      (long long)start, (long long)length, (long long)size);
  int64_t stop = start + length;
  return tocha_slice(cx, self, dim, &start, &stop, 1);
}

tocha_tensor *tocha_op_narrow_tensor(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                     tocha_tensor *start, int64_t length) {
  tocha_scalar first;
  if (start->ndim != 0 || !tocha_dtype_is_integer(start->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "start must be an 0-dim integral Tensor.");
  if (!tocha_item(cx, start, &first)) return NULL;
  return tocha_op_narrow(cx, self, dim, first.value.integer, length);
}

tocha_tensor *tocha_op_diagonal(tocha_context *cx, tocha_tensor *self, int64_t offset, int64_t dim1,
                                int64_t dim2) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS], first = self->offset;
  int n = 0;
  const long long said[2] = {dim1, dim2};
  if (!tocha_wrap_dim(cx, &dim1, self->ndim) || !tocha_wrap_dim(cx, &dim2, self->ndim)) return NULL;
  if (dim1 == dim2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "diagonal dimensions cannot be identical %lld, %lld",
                      said[0], said[1]);
  for (int i = 0; i < self->ndim; i++) {
    if (i == dim1 || i == dim2) continue;
    sizes[n] = self->sizes[i];
    strides[n++] = self->strides[i];
  }
  int64_t rows = self->sizes[dim1] + (offset < 0 ? offset : 0);
  int64_t columns = self->sizes[dim2] - (offset > 0 ? offset : 0);
  int64_t length = rows < columns ? rows : columns;
  if (length > 0)
    first += offset < 0 ? -offset * self->strides[dim1] : offset * self->strides[dim2];
  sizes[n] = length > 0 ? length : 0;
  strides[n++] = self->strides[dim1] + self->strides[dim2];
  return tocha_alias(cx, self, n, sizes, strides, first);
}

/* Returns every window of `size` positions, `step` apart, along a new last dimension. */
tocha_tensor *tocha_op_unfold(tocha_context *cx, tocha_tensor *self, int64_t dimension,
                              int64_t size, int64_t step) {
  int64_t sizes[TOCHA_MAX_DIMS + 1], strides[TOCHA_MAX_DIMS + 1];
  int n = self->ndim;
  if (!tocha_wrap_dim(cx, &dimension, n)) return NULL;
  int64_t have = n ? self->sizes[dimension] : 1;
  if (size < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "size is %lld but must be >= 0", (long long)size);
  if (size > have)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "maximum size for tensor at dimension %lld is %lld but size is %lld",
                      (long long)dimension, (long long)have, (long long)size);
  if (step <= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "step is %lld but must be > 0", (long long)step);
  memcpy(sizes, self->sizes, (size_t)n * sizeof *sizes);
  memcpy(strides, self->strides, (size_t)n * sizeof *strides);
  sizes[n] = size;
  strides[n] = n ? strides[dimension] : 1;
  if (n) {
    sizes[dimension] = (have - size) / step + 1;
    strides[dimension] =
        tocha_wrapping_product(strides[dimension], step); /* if it wraps, the size is 1 */
  }
  return tocha_alias(cx, self, n + 1, sizes, strides, self->offset);
}

/* --- any geometry ------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_as_strided_view(tocha_context *cx, tocha_tensor *self, int size_count,
                                       const int64_t *size, int stride_count, const int64_t *stride,
                                       int64_t offset, int input_stride_count,
                                       const int64_t *input_stride, int64_t input_offset) {
  char a[256], b[256];
  (void)input_stride_count, (void)input_stride, (void)input_offset; /* for the gradient */
  if (size_count != stride_count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "mismatch in length of strides and shape");
  int64_t item = (int64_t)tocha_dtype_size(self->dtype), last = offset, reach;
  bool empty = false, overflow = false;
  for (int i = 0; i < size_count; i++) {
    if (stride[i] < 0)
      return tocha_fail(
          cx, TOCHA_RUNTIME_ERROR,
          "as_strided: Negative strides are not supported at the moment, got strides: "
          "%s",
          tocha_shape_text(stride_count, stride, a, sizeof a));
    if (size[i] < 0) return tocha_new(cx, size_count, size, self->dtype, self->device);
    empty = empty || size[i] == 0;
    overflow |= __builtin_mul_overflow(size[i] - 1, stride[i], &reach);
    overflow |= __builtin_add_overflow(last, reach, &last);
  }
  if (offset < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Tensor: invalid storage offset %lld",
                      (long long)offset);
  int64_t needed = 0;
  overflow |= __builtin_add_overflow(last, 1, &last);
  overflow |= __builtin_mul_overflow(last, item, &needed);
  if (overflow && !empty)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Storage size calculation overflowed with sizes=%s and strides=%s",
                      tocha_shape_text(size_count, size, a, sizeof a),
                      tocha_shape_text(stride_count, stride, b, sizeof b));
  if (empty) needed = 0;
  if (needed > (int64_t)self->storage->bytes)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "setStorage: sizes %s, strides %s, storage offset %lld, and itemsize %lld "
                      "requiring a storage size of %lld are out of bounds for storage of size %lld",
                      tocha_shape_text(size_count, size, a, sizeof a),
                      tocha_shape_text(stride_count, stride, b, sizeof b), (long long)offset,
                      (long long)item, (long long)needed, (long long)self->storage->bytes);
  return tocha_alias(cx, self, size_count, size, stride, offset);
}

tocha_tensor *tocha_op_as_strided(tocha_context *cx, tocha_tensor *self, int size_count,
                                  const int64_t *size, int stride_count, const int64_t *stride,
                                  const int64_t *storage_offset) {
  return tocha_as_strided_view(cx, self, size_count, size, stride_count, stride,
                               storage_offset ? *storage_offset : self->offset, self->ndim,
                               self->strides, self->offset);
}

tocha_tensor *tocha_op_as_strided_copy(tocha_context *cx, tocha_tensor *self, int size_count,
                                       const int64_t *size, int stride_count, const int64_t *stride,
                                       const int64_t *storage_offset) {
  return tocha_as_strided_view_copy(cx, self, size_count, size, stride_count, stride,
                                    storage_offset ? *storage_offset : self->offset, self->ndim,
                                    self->strides, self->offset);
}
