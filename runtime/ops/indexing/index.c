/* index.c: reading and writing through index tensors: index, index_put_, index_select, index_add_. */
#include "ops/indexing/index.h"

#include "device/devices.h"
#include "tensor/copy.h"
#include "tensor/overlap.h"
#include "indexing/implementations.h"
#include "shape/implementations.h"
#include "tocha/ops/index.h"
#include "tocha/ops/index_backward.h"
#include "tocha/ops/index_fill.h"
#include "tocha/ops/index_put.h"
#include "tocha/ops/new_zeros.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/zero_where.h"

/* --- several dimensions at once ------------------------------------------------------------------------ */

tocha_tensor *tocha_op_index(tocha_context *cx, tocha_tensor *self, int indices_count,
                             tocha_tensor *const *indices) {
  tocha_indexed x;
  bool ok = tocha_index_tensors(cx, "index", self, indices_count, indices, &x) &&
            tocha_check_positions(cx, &x);
  return ok ? tocha_index_get(cx, &x) : NULL;
}

/* Whether values broadcast to the shape that is indexed (leading ones may be more). */
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

/* values where self is: a number of the CPU goes with any tensor. */
static bool place_values(tocha_context *cx, const tocha_tensor *self, tocha_tensor **values) {
  char a[24], b[24];
  tocha_tensor *v = *values;
  if (v->flags & TOCHA_FLAG_FREED) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "this tensor was freed with free() and has no data");
    return false;
  }
  if (tocha_same_device(v->device, self->device)) return true;
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

/* The values into what x reaches; they may share self's memory. */
static bool write(tocha_context *cx, const tocha_indexed *x, tocha_tensor *values, bool accumulate,
                  tocha_scalar scale) {
  if (values->storage == x->self->storage) values = tocha_copy_rows(cx, values);
  if (!values) return false;
  return accumulate ? tocha_index_add_values(cx, x, values, scale)
                    : tocha_index_put_values(cx, x, values);
}

/* A single value where mask, self's dimensions from place on, holds: a fill, which converts it. */
static tocha_tensor *fill_masked(tocha_context *cx, tocha_tensor *self, int place,
                                 const tocha_tensor *mask, const tocha_tensor *value) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  tocha_scalar number;
  if (!tocha_check_mask(cx, self, place, mask) || !tocha_item(cx, value, &number)) return NULL;
  for (int d = 0; d < self->ndim; d++) {
    bool masked = d >= place && d < place + mask->ndim;
    sizes[d] = masked ? mask->sizes[d - place] : 1;
    strides[d] = masked ? mask->strides[d - place] : 0;
  }
  tocha_tensor *wide = tocha_alias(cx, mask, self->ndim, sizes, strides, mask->offset);
  return wide ? tocha_op_masked_fill_(cx, self, wide, number) : NULL;
}

static bool check_apart(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *read) {
  tocha_overlap overlap = read ? tocha_overlap_of(self, read) : TOCHA_OVERLAP_NONE;
  bool meet = overlap == TOCHA_OVERLAP_FULL || overlap == TOCHA_OVERLAP_PARTIAL;
  return !meet || tocha_refuse_overlap(cx);
}

tocha_tensor *tocha_op_index_put_(tocha_context *cx, tocha_tensor *self, int indices_count,
                                  tocha_tensor *const *indices, tocha_tensor *values,
                                  bool accumulate) {
  tocha_indexed x;
  int place = 0;
  const tocha_tensor *mask = NULL;
  if (!accumulate && values->numel == 1 && values->device.type == TOCHA_CPU)
    mask = tocha_only_mask(self, indices_count, indices, &place);
  if (mask) return fill_masked(cx, self, place, mask, values);
  bool apart = check_apart(cx, self, values);
  for (int i = 0; apart && i < indices_count; i++) apart = check_apart(cx, self, indices[i]);
  if (!apart || !tocha_index_tensors(cx, "index_put_", self, indices_count, indices, &x) ||
      !place_values(cx, self, &values) || !check_values(cx, &x, &values))
    return NULL;
  if (values->dtype != self->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Index put requires the source and destination dtypes match, got %s for the "
                      "destination and %s for the source.",
                      tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type(values->dtype));
  bool ok = tocha_check_positions(cx, &x) && write(cx, &x, values, accumulate, tocha_int(1));
  return ok ? self : NULL;
}

/* grad_output added where index read: the gradient of index. */
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
  f->out[0] = tocha_index_backward(f->cx, f->grads[0], s.ndim, s.sizes, f->args[1].count,
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
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "index out of range in self");
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

/* What index_add_ and index_copy_ ask of source. */
static bool check_source(tocha_context *cx, const char *name, const tocha_tensor *self, int64_t dim,
                         const tocha_tensor *index, const tocha_tensor *source, bool adds) {
  char a[256], b[256];
  int64_t length = source->ndim ? source->sizes[dim < source->ndim ? dim : 0] : 1;
  if (index->ndim > 1)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "%s(): Index should have dimension 1 or 0 (got %d)",
                      name, index->ndim);
  if (!adds && index->dtype != TOCHA_INT64)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): Expected a long tensor for index, but got %s",
                      name, tocha_dtype_scalar_type(index->dtype));
  if (!is_position(index))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): Expected dtype int32/int64 for index", name);
  if (self->dtype != source->dtype && adds)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "%s(): self (%s) and source (%s) must have the same scalar type", name,
                      tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type(source->dtype));
  if (self->dtype != source->dtype)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "%s(): self and source expected to have the same dtype, but got (self) %s and "
        "(source) %s",
        name, tocha_dtype_scalar_type(self->dtype), tocha_dtype_scalar_type(source->dtype));
  bool same = self->ndim == source->ndim;
  for (int d = 0; same && d < self->ndim; d++)
    same = d == dim || self->sizes[d] == source->sizes[d];
  if (!same)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "source tensor shape must match self tensor shape, excluding the specified "
                      "dimension. Got self.shape = %s source.shape = %s",
                      tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
                      tocha_shape_text(source->ndim, source->sizes, b, sizeof b));
  if (index->numel == length) return true;
  if (adds)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "%s(): Number of indices (%lld) should be equal to source.size(dim): (%lld), "
                      "for dim: %lld",
                      name, (long long)index->numel, (long long)length, (long long)dim);
  return tocha_fail(cx, TOCHA_INDEX_ERROR,
                    "%s(): Number of indices (%lld) should be equal to source.size(dim) (%lld)",
                    name, (long long)index->numel, (long long)length);
}

tocha_tensor *tocha_op_index_add_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                  tocha_tensor *index, tocha_tensor *source, tocha_scalar alpha) {
  tocha_indexed x;
  int64_t bad;
  if (!tocha_wrap_dim(cx, &dim, self->ndim) ||
      !check_source(cx, "index_add_", self, dim, index, source, true))
    return NULL;
  if (!tocha_index_dimension(cx, "index_add_", self, dim, index, false, &x, &bad))
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR, "index %lld is out of bounds for dimension %lld with size %lld",
        (long long)bad, (long long)dim, (long long)(self->ndim ? self->sizes[dim] : 1));
  return write(cx, &x, source, true, alpha) ? self : NULL;
}

/* PyTorch's loop over what index_copy_ and index_fill_ write sees self with a stride of 0 in place of the indexed
 * dimension's, and that view is refused where self's memory ends before it. */
static bool check_restrided(tocha_context *cx, tocha_tensor *self, int64_t dim,
                            const tocha_tensor *index) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  if (self->numel) return true;
  for (int d = 0; d < self->ndim; d++) {
    sizes[d] = d == dim ? index->numel : self->sizes[d];
    strides[d] = d == dim ? 0 : self->strides[d];
  }
  return tocha_op_as_strided(cx, self, self->ndim, sizes, self->ndim, strides, NULL) != NULL;
}

tocha_tensor *tocha_op_index_copy_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                   tocha_tensor *index, tocha_tensor *source) {
  tocha_indexed x;
  int64_t bad;
  if (!tocha_wrap_dim(cx, &dim, self->ndim) ||
      !check_source(cx, "index_copy_", self, dim, index, source, false) ||
      !check_restrided(cx, self, dim, index))
    return NULL;
  if (!tocha_index_dimension(cx, "index_copy_", self, dim, index, false, &x, &bad) &&
      (tocha_failed(cx) || !tocha_indexed_is_empty(&x)))
    return tocha_fail(
        cx, TOCHA_INDEX_ERROR,
        "index_copy_(): index %lld is out of bounds for dimension %lld with size %lld",
        (long long)bad, (long long)dim, (long long)(self->ndim ? self->sizes[dim] : 1));
  return write(cx, &x, source, false, tocha_int(1)) ? self : NULL;
}

/* value: 0-dim, of any type. */
static tocha_tensor *index_fill(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                tocha_tensor *index, tocha_tensor *value) {
  tocha_indexed x;
  int64_t bad;
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (index->ndim > 1) return tocha_fail(cx, TOCHA_INDEX_ERROR, "Index has to be a vector/scalar");
  if (index->dtype != TOCHA_INT64)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "index_fill_(): Expected dtype int64 for index.");
  int64_t size = self->ndim ? self->sizes[dim] : 1;
  if (!check_restrided(cx, self, dim, index)) return NULL;
  if (!tocha_index_dimension(cx, "index_fill_", self, dim, index, true, &x, &bad) &&
      (tocha_failed(cx) || !tocha_indexed_is_empty(&x)))
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "index %lld is out of bounds for dimension %lld with size %lld",
                      (long long)bad, (long long)dim, (long long)size);
  value = tocha_as(cx, value, self->dtype, self->device, TOCHA_PRESERVE_FORMAT);
  return value && write(cx, &x, value, false, tocha_int(1)) ? self : NULL;
}

tocha_tensor *tocha_op_index_fill_(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                   tocha_tensor *index, tocha_scalar value) {
  if (!tocha_check_fits(cx, value, (tocha_dtype)self->dtype)) return NULL;
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
  return index_fill(cx, self, dim, index, value);
}

bool tocha_index_fill_tensor_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *grad = f->grads[0], *index = f->args[2].tensor;
  int64_t dim = f->args[1].value.integer;
  if (!grad) return true;
  if (tocha_wants_grad(f, 0)) f->out[0] = tocha_index_fill(cx, grad, dim, index, tocha_int(0));
  if (tocha_wants_grad(f, 1)) { /* a place that index names twice counts once */
    tocha_tensor *kept = tocha_index_fill(cx, tocha_ones_like(cx, grad), dim, index, tocha_int(0));
    f->out[1] = tocha_zero_where(cx, grad, kept);
  }
  return !tocha_failed(cx);
}

/* --- the elements in a row ------------------------------------------------------------------------------ */

/* The elements of t (row-major) at index, both as one dimension. */
static bool index_flat(tocha_context *cx, tocha_tensor *t, tocha_tensor *index, tocha_indexed *x) {
  int64_t one = 1, bad;
  if (index->dtype != TOCHA_INT64) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "take(): Expected a long tensor for index, but got %s",
               tocha_dtype_scalar_type(index->dtype));
    return false;
  }
  tocha_tensor *flat = tocha_alias(cx, t, 1, &t->numel, &one, t->offset);
  tocha_tensor *dense = tocha_as_rows(cx, index, TOCHA_NO_DTYPE);
  tocha_tensor *at = dense ? tocha_alias(cx, dense, 1, &dense->numel, &one, dense->offset) : NULL;
  if (!flat || !at) return false;
  if (tocha_index_dimension(cx, "take", flat, 0, at, true, x, &bad)) return true;
  if (tocha_failed(cx)) return false;
  if (t->numel == 0)
    tocha_fail(cx, TOCHA_INDEX_ERROR, "take(): tried to take from an empty tensor");
  else
    tocha_fail(cx, TOCHA_INDEX_ERROR,
               "out of range: tried to access index %lld on a tensor of %lld elements.",
               (long long)bad, (long long)t->numel);
  return false;
}

tocha_tensor *tocha_op_take(tocha_context *cx, tocha_tensor *self, tocha_tensor *index) {
  tocha_indexed x;
  tocha_tensor *rows = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  if (!rows || !index_flat(cx, rows, index, &x)) return NULL;
  tocha_tensor *out = tocha_index_get(cx, &x);
  return out ? tocha_op_view(cx, out, index->ndim, index->sizes) : NULL;
}

tocha_tensor *tocha_op_take_backward(tocha_context *cx, tocha_tensor *grad_output, int sizes_count,
                                     const int64_t *sizes, tocha_tensor *index) {
  tocha_indexed x;
  int64_t one = 1;
  tocha_tensor *t = tocha_new(cx, sizes_count, sizes, grad_output->dtype, grad_output->device);
  if (!t || !tocha_fill_data(cx, t, tocha_int(0)) || !index_flat(cx, t, index, &x)) return NULL;
  tocha_tensor *rows = tocha_as_rows(cx, grad_output, TOCHA_NO_DTYPE);
  rows = rows ? tocha_alias(cx, rows, 1, &rows->numel, &one, rows->offset) : NULL;
  return rows && write(cx, &x, rows, true, tocha_int(1)) ? t : NULL;
}
