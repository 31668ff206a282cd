/* index.c: index, index_put_, index_select, index_add_ and the like: reading and writing through index tensors. */
#include <stdio.h>
#include <string.h>

#include "ops/indexing/index.h"

#include "device/devices.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/output.h"
#include "tensor/overlap.h"
#include "indexing/implementations.h"
#include "tensor/geometry.h"
#include "tocha/ops/as_strided.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/index.h"
#include "tocha/ops/private/index_backward.h"
#include "tocha/ops/index_fill.h"
#include "tocha/ops/index_put.h"
#include "tocha/ops/new_zeros.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/zero_where.h"

/* --- several dimensions at once ------------------------------------------------------------------------ */

/* Returns true if x's own strides order all dimensions of the result, row by row. */
static bool is_ordered(const tocha_indexed *x) {
  int64_t outer = INT64_MAX;
  for (int d = 0; d < x->ndim; d++) {
    if (x->sizes[d] < 2 || x->strides[d] >= outer) return false;
    if (x->strides[d]) outer = x->strides[d];
  }
  for (int k = 0; k < x->axes; k++)
    if (!tocha_is_contiguous(x->index[k])) return false;
  return true;
}

/* Returns index tensor k as a view over all dimensions of x: broadcast to the other index tensors, with size 1 in the
 * dimensions of self. ndim: dimensions of the broadcast index tensors. */
static tocha_tensor *spread_index(tocha_context *cx, const tocha_indexed *x, int k, int ndim) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  int begin = x->index_end - ndim;
  tocha_tensor *t = tocha_expand(cx, x->index[k], ndim, x->sizes + begin);
  for (int d = 0; d < x->ndim; d++) sizes[d] = d >= begin && d < x->index_end ? x->sizes[d] : 1;
  if (!t) return NULL;
  tocha_view_strides(t, x->ndim, sizes, strides);
  return tocha_alias(cx, t, x->ndim, sizes, strides, t->offset);
}

/* Returns a new result for x, whose memory layout follows the strides of self and of the index tensors. */
static tocha_tensor *new_result(tocha_context *cx, const tocha_indexed *x) {
  tocha_tensor *operands[TOCHA_MAX_OPERANDS];
  int count = 1, ndim = 0;
  if (is_ordered(x)) return tocha_new(cx, x->ndim, x->sizes, x->self->dtype, x->self->device);
  operands[0] = tocha_alias(cx, x->self, x->ndim, x->sizes, x->strides, x->self->offset);
  if (!operands[0]) return NULL;
  for (int k = 0; k < x->axes; k++)
    if (x->index[k]->ndim > ndim) ndim = x->index[k]->ndim;
  for (int k = 0; k < x->axes && count < TOCHA_MAX_OPERANDS; k++, count++)
    if (!(operands[count] = spread_index(cx, x, k, ndim))) return NULL;
  return tocha_new_output(cx, x->ndim, x->sizes, x->self->dtype, x->self->device, count, operands);
}

tocha_tensor *tocha_op_index(tocha_context *cx, tocha_tensor *self, int indices_count,
                             tocha_tensor *const *indices) {
  tocha_indexed x;
  if (!tocha_index_tensors(cx, "index", self, indices_count, indices, &x) ||
      !tocha_check_positions(cx, &x))
    return NULL;
  tocha_tensor *out = new_result(cx, &x);
  return out && tocha_index_get_into(cx, &x, out) ? out : NULL;
}

/* Fails unless values broadcast to the indexed shape. Extra leading dimensions of size 1 are dropped from *values. */
static bool check_values(tocha_context *cx, const tocha_indexed *x, tocha_tensor **values) {
  tocha_tensor *v = *values;
  char a[256], b[256];
  bool fits = true;
  int extra = v->ndim > x->ndim ? v->ndim - x->ndim : 0;
  for (int i = 0; i < extra; i++) fits = fits && v->sizes[i] == 1;
  for (int i = extra; fits && i < v->ndim; i++)
    fits = v->sizes[i] == 1 || v->sizes[i] == x->sizes[x->ndim - (v->ndim - i)];
  if (fits) {
    if (extra)
      *values =
          tocha_alias(cx, v, v->ndim - extra, v->sizes + extra, v->strides + extra, v->offset);
    return *values != NULL;
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of "
             "shape %s",
             tocha_shape_text(v->ndim, v->sizes, a, sizeof a),
             tocha_shape_text(x->ndim, x->sizes, b, sizeof b));
  return false;
}

/* Moves *values to self's device if it is a number on the CPU. Fails if it is any other tensor elsewhere. */
static bool place_values(tocha_context *cx, const tocha_tensor *self, tocha_tensor **values) {
  char a[24], b[24];
  tocha_tensor *v = *values;
  if (v->flags & TOCHA_FLAGS_WITHOUT_DATA)
    return tocha_refuse_without_data(
        cx, v, "<slot wrapper '__setitem__' of 'torch._C.TensorBase' objects>");
  if (tocha_device_equal(v->device, self->device)) return true;
  if (v->ndim || v->device.type != TOCHA_CPU) {
    bool first = self->device.type != TOCHA_CPU;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected all tensors to be on the same device, but found at least two devices, %s "
               "and %s!",
               tocha_device_text(first ? self->device : v->device, a),
               tocha_device_text(first ? v->device : self->device, b));
    tocha_hint(cx, "move one of them: x:to(\"%s\")", a);
    return false;
  }
  *values = tocha_as_device(cx, v, self->device);
  return *values != NULL;
}

/* Writes the values to the elements of x, or adds them times `scale`. The values may share self's memory. */
static bool write(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values, bool accumulate,
                  tocha_scalar scale) {
  if (values->storage == x->self->storage) values = tocha_copy_rows(cx, values);
  if (!values) return false;
  return accumulate ? tocha_index_add_values(cx, x, values, scale)
                    : tocha_index_put_values(cx, x, values);
}

/* Checks the operands of index_put_, and describes the elements in x. self may share no memory with values or indices. */
static bool check_put(tocha_context *cx, tocha_tensor *self, int count,
                      tocha_tensor *const *indices, tocha_tensor **values, tocha_indexed *x) {
  if (!tocha_check_apart(cx, self, *values)) return false;
  for (int i = 0; i < count; i++)
    if (indices[i] && !tocha_check_apart(cx, self, indices[i])) return false;
  if (!tocha_index_tensors(cx, "index_put_", self, count, indices, x) ||
      !place_values(cx, self, values) || !check_values(cx, x, values))
    return false;
  if ((*values)->dtype == self->dtype) return tocha_check_positions(cx, x);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Index put requires the source and destination dtypes match, got %s for the "
             "destination and %s for the source.",
             tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type((*values)->dtype));
  return false;
}

tocha_tensor *tocha_op_index_put_(tocha_context *cx, tocha_tensor *self, int indices_count,
                                  tocha_tensor *const *indices, tocha_tensor *values,
                                  bool accumulate) {
  tocha_indexed x;
  tocha_tensor *mask = NULL;
  tocha_scalar number;
  if (!accumulate && values->numel == 1 && values->device.type == TOCHA_CPU &&
      !tocha_only_mask(cx, self, indices_count, indices, &mask))
    return NULL;
  if (mask) /* a single number may have any dtype and share self's memory */
    return tocha_item(cx, values, &number) ? tocha_op_masked_fill_(cx, self, mask, number) : NULL;
  if (!check_put(cx, self, indices_count, indices, &values, &x)) return NULL;
  return write(cx, &x, values, accumulate, tocha_int(1)) ? self : NULL;
}

/* Returns the gradient of index: grad_output added to the elements that index read. */
tocha_tensor *tocha_op_index_backward(tocha_context *cx, tocha_tensor *grad_output, int sizes_count,
                                      const int64_t *sizes, int indices_count,
                                      tocha_tensor *const *indices) {
  tocha_tensor *t = tocha_new(cx, sizes_count, sizes, grad_output->dtype, grad_output->device);
  if (!t || !tocha_fill_data(cx, t, tocha_int(0))) return NULL;
  return tocha_op_index_put_(cx, t, indices_count, indices, grad_output, true);
}

bool tocha_index_rule(tocha_backward_frame *f) {
  tocha_shape s = tocha_edge_shape(f, 0);
  if (!f->grads[0]) return true;
  f->out[0] = tocha_private_index_backward(f->cx, f->grads[0], s.ndim, s.sizes, f->args[1].count,
                                           f->args[1].value.tensors);
  return f->out[0] != NULL;
}

bool tocha_index_backward_rule(tocha_backward_frame *f) {
  if (!f->grads[0]) return true;
  f->out[0] = tocha_index(f->cx, f->grads[0], f->args[2].count, f->args[2].value.tensors);
  return f->out[0] != NULL;
}

bool tocha_index_put_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0];
  const tocha_arg *indices = &f->args[1];
  if (!grad) return true;
  if (tocha_wants_grad(f, 0)) {
    f->out[0] = grad;
    if (!f->args[3].value.flag) {
      tocha_tensor *zero = tocha_new_zeros(cx, grad, 0, NULL);
      if (!zero) return false;
      f->out[0] = tocha_index_put(cx, grad, indices->count, indices->value.tensors, zero, false);
    }
  }
  if (tocha_wants_grad(f, 1))
    f->out[1] = tocha_index(cx, grad, indices->count, indices->value.tensors);
  return !tocha_failed(cx);
}

/* --- one dimension -------------------------------------------------------------------------------------- */

static bool is_position(const tocha_tensor *index) {
  return index->dtype == TOCHA_INT64 || index->dtype == TOCHA_INT32;
}

/* Reports that position `bad` is out of range. For dimension 1, and for a tensor without elements, PyTorch has other messages. */
static void *fail_select(tocha_context *cx, const tocha_tensor *self, int64_t dim, int64_t bad) {
  if (self->ndim < 2 || (dim != 1 && self->numel > 0))
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "index out of range in self");
  if (self->sizes[dim] == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_select(): self indexing axis dim should be positive");
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "INDICES element is out of DATA bounds, id=%lld axis_dim=%lld", (long long)bad,
                    (long long)self->sizes[dim]);
}

tocha_tensor *tocha_op_index_select(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                    tocha_tensor *index) {
  tocha_indexed x;
  int64_t bad;
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (index->ndim > 1)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "index_select(): Index is supposed to be a vector");
  if (!is_position(index))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_select(): Expected dtype int32 or int64 for index");
  if (self->ndim == 0 && index->numel != 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_select(): Index to scalar can have only 1 value, got %lld value(s)",
                      (long long)index->numel);
  if (!tocha_index_dimension(cx, "index_select", self, dim, index, false, &x, &bad))
    return fail_select(cx, self, dim, bad);
  tocha_tensor *out = tocha_index_get(cx, &x);
  return out && self->ndim == 0 ? tocha_alias(cx, out, 0, NULL, NULL, out->offset) : out;
}

tocha_tensor *tocha_op_index_select_backward(tocha_context *cx, tocha_tensor *grad_output,
                                             int sizes_count, const int64_t *sizes, int64_t dim,
                                             tocha_tensor *index) {
  tocha_indexed x;
  int64_t bad;
  tocha_tensor *t = tocha_new(cx, sizes_count, sizes, grad_output->dtype, grad_output->device);
  if (!t || !tocha_fill_data(cx, t, tocha_int(0)) || !tocha_wrap_dim(cx, &dim, sizes_count))
    return NULL;
  if (!tocha_index_dimension(cx, "index_select", t, dim, index, false, &x, &bad)) return NULL;
  return write(cx, &x, grad_output, true, tocha_int(1)) ? t : NULL;
}

/* Describes the positions `index` of dimension dim, which are checked if anything is written. Returns false, without an error,
 * if a position is out of range, and sets *bad to it. */
static bool positions(tocha_context *cx, const char *op, tocha_tensor *self, int64_t dim,
                      tocha_tensor *index, bool wraps, tocha_indexed *x, int64_t *bad) {
  return tocha_index_dimension(cx, op, self, dim, index, wraps, x, bad) ||
         (!tocha_failed(cx) && tocha_indexed_is_empty(x));
}

/* Checks the dtypes and sizes of index_add_. */
static bool check_added(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                        const tocha_tensor *index, const tocha_tensor *source) {
  char a[256], b[256];
  int64_t length = 1;
  if (index->ndim > 1)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "index_add_(): Index is supposed to be a vector, but got dim: %d with type: "
                      "%s and size: %s",
                      index->ndim, tocha_dtype_scalar_type(index->dtype),
                      tocha_shape_text(index->ndim, index->sizes, a, sizeof a));
  if (!is_position(index))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_add_(): Expected dtype int32/int64 for index but got: %s",
                      tocha_dtype_scalar_type(index->dtype));
  if (self->dtype != source->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_add_(): self (%s) and source (%s) must have the same scalar type",
                      tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type(source->dtype));
  if (dim > 0 && dim >= source->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_add_(): Indexing dim %lld is out of bounds of the source tensor with "
                      "dim %d",
                      (long long)dim, source->ndim);
  if ((source->ndim || index->numel != 1) && !tocha_size_of(cx, source, (int)dim, &length))
    return false;
  if (index->numel != length)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_add_(): Number of indices (%lld) should be equal to source.size(dim): "
                      "(%lld), for dim: %lld",
                      (long long)index->numel, (long long)length, (long long)dim) != NULL;
  bool same = self->ndim == source->ndim;
  for (int d = 0; same && d < self->ndim; d++)
    same = d == dim || self->sizes[d] == source->sizes[d];
  return same || tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                            "source tensor shape must match self tensor shape, excluding the "
                            "specified dimension. Got self.shape = %s source.shape = %s",
                            tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
                            tocha_shape_text(source->ndim, source->sizes, b, sizeof b));
}

tocha_tensor *tocha_op_index_add_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                  tocha_tensor *index, tocha_tensor *source, tocha_scalar alpha) {
  tocha_indexed x;
  int64_t bad;
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !check_added(cx, self, dim, index, source) ||
      !tocha_check_no_overlap(cx, self) || !tocha_check_apart(cx, self, index) ||
      !tocha_check_apart(cx, self, source))
    return NULL;
  if (self->numel == 0 && self->ndim > 1) return self;
  /* PyTorch uses scatter_add_ for the first and the last dimension, with that operator's message. */
  bool scattered = self->ndim > 1 && (dim == 0 || dim == self->ndim - 1) &&
                   index->dtype == TOCHA_INT64 && tocha_scalar_real(alpha) == 1;
  if (!tocha_check_fits(cx, alpha, self->dtype)) return NULL;
  if (tocha_index_dimension(cx, "index_add_", self, dim, index, false, &x, &bad))
    return write(cx, &x, source, true, alpha) ? self : NULL;
  if (!scattered) return tocha_fail(cx, TOCHA_INDEX_ERROR, "index out of range in self");
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "index %lld is out of bounds for dimension %lld with size %lld", (long long)bad,
                    (long long)dim, (long long)self->sizes[dim]);
}

/* Writes t's sizes except that of dim, as messages print them, and returns the text. */
static const char *slice_text(const tocha_tensor *t, int64_t dim, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int d = 0; d < t->ndim && used < size; d++)
    if (d != dim)
      used += (size_t)snprintf(text + used, size - used, used ? " %lld" : "%lld",
                               (long long)t->sizes[d]);
  return text;
}

static bool check_slices(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                         const tocha_tensor *source) {
  char a[256], b[256];
  int64_t from = source->ndim ? dim : 0;
  slice_text(self, dim, a, sizeof a);
  slice_text(source, from, b, sizeof b);
  return strcmp(a, b) == 0 ||
         tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "index_copy_(): Source/destination tensor must have same slice shapes. "
                    "Destination slice shape: %s at dimension %lld and source slice shape: %s at "
                    "dimension 0.",
                    a, (long long)dim, b);
}

/* Checks the dtypes and sizes of index_copy_. */
static bool check_copied(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                         const tocha_tensor *index, const tocha_tensor *source) {
  long long count = index->numel;
  if (index->ndim > 1)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "index_copy_(): Index should have dimension 1 or 0 (got %d)", index->ndim);
  if (source->ndim == 0 && count != 1)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "index_copy_(): When source is scalar, index should have one element (got "
                      "%lld)",
                      count);
  if (source->ndim && self->ndim && source->ndim != self->ndim)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "index_copy_(): When source and destination are not scalars, their "
                      "dimensionality must match. Source dimensionality (%d), destination "
                      "dimensionality (%d)",
                      source->ndim, self->ndim);
  if (index->dtype != TOCHA_INT64)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_copy_(): Expected a long tensor for index, but got %s",
                      tocha_dtype_scalar_type(index->dtype));
  if (self->dtype != source->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "index_copy_(): self and source expected to have the same dtype, but got "
                      "(self) %s and (source) %s",
                      tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type(source->dtype));
  if (!check_slices(cx, self, dim, source)) return false;
  return source->ndim == 0 || source->sizes[dim] == count ||
         tocha_fail(cx, TOCHA_INDEX_ERROR,
                    "index_copy_(): Number of indices (%lld) should be equal to source.size(dim) "
                    "(%lld)",
                    count, (long long)source->sizes[dim]);
}

/* Fails if a view of self with an element for each position would need more memory than self has. Only applies to a dimension
 * of size 0. */
static bool check_places(tocha_context *cx, tocha_tensor *self, int64_t dim,
                         const tocha_tensor *index) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  if (self->ndim == 0 || self->sizes[dim] > 0) return true;
  memcpy(sizes, self->sizes, (size_t)self->ndim * sizeof *sizes);
  memcpy(strides, self->strides, (size_t)self->ndim * sizeof *strides);
  sizes[dim] = index->numel;
  strides[dim] = 0;
  return tocha_as_strided(cx, self, self->ndim, sizes, self->ndim, strides, NULL) != NULL;
}

tocha_tensor *tocha_op_index_copy_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                   tocha_tensor *index, tocha_tensor *source) {
  tocha_indexed x;
  int64_t bad;
  if (!tocha_wrap_dim(cx, &dim, self->ndim) || !check_copied(cx, self, dim, index, source) ||
      !check_places(cx, self, dim, index))
    return NULL;
  if (!positions(cx, "index_copy_", self, dim, index, false, &x, &bad))
    return tocha_fail(
        cx, TOCHA_INDEX_ERROR,
        "index_copy_(): index %lld is out of bounds for dimension %lld with size %lld",
        (long long)bad, (long long)dim, (long long)(self->ndim ? self->sizes[dim] : 1));
  return write(cx, &x, source, false, tocha_int(1)) ? self : NULL;
}

static bool check_filled(tocha_context *cx, const tocha_tensor *self, int64_t *dim,
                         const tocha_tensor *index) {
  if (index->dtype != TOCHA_INT64)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "index_fill_(): Expected dtype int64 for index.");
  if (!tocha_wrap_dim(cx, dim, self->ndim)) return false;
  if (index->ndim > 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Index has to be a vector/scalar");
  return tocha_check_apart(cx, self, index);
}

/* Fills the positions `index` of dimension dim. value: 0-dim, of any dtype. The caller has checked the other operands. */
static tocha_tensor *index_fill(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                tocha_tensor *index, tocha_tensor *value) {
  tocha_indexed x;
  int64_t bad, size = self->ndim ? self->sizes[dim] : 1;
  if (!check_places(cx, self, dim, index)) return NULL;
  if (!positions(cx, "index_fill_", self, dim, index, true, &x, &bad))
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "index %lld is out of bounds for dimension %lld with size %lld",
                      (long long)bad, (long long)dim, (long long)size);
  value = tocha_as(cx, value, self->dtype, self->device, TOCHA_PRESERVE_FORMAT);
  return value && write(cx, &x, value, false, tocha_int(1)) ? self : NULL;
}

tocha_tensor *tocha_op_index_fill_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                   tocha_tensor *index, tocha_scalar value) {
  if (!check_filled(cx, self, &dim, index) ||
      !tocha_check_fits(cx, value, (tocha_dtype)self->dtype))
    return NULL;
  tocha_tensor *t = tocha_new(cx, 0, NULL, (tocha_dtype)self->dtype, self->device);
  if (!t || !tocha_fill_data(cx, t, value)) return NULL;
  return index_fill(cx, self, dim, index, t);
}

tocha_tensor *tocha_op_index_fill__tensor(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                          tocha_tensor *index, tocha_tensor *value) {
  if (value->ndim)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "index_fill_ only supports a 0-dimensional value tensor, but got tensor with %d "
        "dimension(s).",
        value->ndim);
  if (!check_filled(cx, self, &dim, index)) return NULL;
  tocha_scalar number;
  if (value->device.type == TOCHA_CPU && /* read as a number */
      (!tocha_item(cx, value, &number) || !tocha_check_fits(cx, number, (tocha_dtype)self->dtype)))
    return NULL;
  return index_fill(cx, self, dim, index, value);
}

bool tocha_index_fill_tensor_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *index = f->args[2].tensor;
  int64_t dim = f->args[1].value.integer;
  if (!grad) return true;
  if (tocha_wants_grad(f, 0)) f->out[0] = tocha_index_fill(cx, grad, dim, index, tocha_int(0));
  if (tocha_wants_grad(f, 1)) { /* a position that index names twice counts once */
    tocha_tensor *kept = tocha_index_fill(cx, tocha_ones_like(cx, grad), dim, index, tocha_int(0));
    f->out[1] = tocha_zero_where(cx, grad, kept);
  }
  return !tocha_failed(cx);
}
