/* cat.c: joins several tensors into one: cat, stack and related operators. */
#include <string.h>

#include "device/devices.h"
#include "dispatch/float8.h"
#include "ops/shape/kernels.h"
#include "tensor/copy.h"
#include "shape/implementations.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/cat_parts.h"
#include "tocha/ops/new_zeros.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/select.h"
#include "tocha/ops/slice.h"

/* A tensor of shape [0] may be joined with tensors of any shape, as in PyTorch, where it predates
 * 0-dim tensors. */
enum { LEGACY = -1 }; /* the length of such a tensor */
static bool is_legacy_empty(const tocha_tensor *t) { return t->ndim == 1 && t->sizes[0] == 0; }

/* Returns the common dtype of one or more tensors, or TOCHA_NO_DTYPE with an error. */
static tocha_dtype joined_type(tocha_context *cx, int count, tocha_tensor *const *tensors) {
  tocha_dtype type = tensors[0]->dtype;
  for (int i = 1; i < count; i++) {
    tocha_dtype before = type;
    type = tocha_promote_types(before, tensors[i]->dtype);
    if (type != TOCHA_NO_DTYPE) continue;
    tocha_refuse_float8_promotion(cx, before, tensors[i]->dtype);
    return type;
  }
  return type;
}

/* Checks the shapes. Writes the result's sizes, and the index of the first tensor that is not a
 * legacy empty one into *model (count if there is none). */
static bool check_cat(tocha_context *cx, int count, tocha_tensor *const *tensors, int64_t *dim,
                      int *model, int64_t *sizes) {
  if (count == 0) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "torch.cat(): expected a non-empty list of Tensors");
    return false;
  }
  *model = count;
  for (int i = 0; i < count; i++) {
    if (tensors[i]->ndim == 0) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "zero-dimensional tensor (at position %d) cannot be concatenated", i);
      return false;
    }
    if (*model == count && !is_legacy_empty(tensors[i])) *model = i;
  }
  const tocha_tensor *first = tensors[*model < count ? *model : 0];
  if (!tocha_wrap_dim(cx, dim, first->ndim)) return false;
  memcpy(sizes, first->sizes, (size_t)first->ndim * sizeof *sizes);
  for (int i = *model + 1; i < count; i++) {
    const tocha_tensor *t = tensors[i];
    if (is_legacy_empty(t)) continue;
    if (t->ndim != first->ndim) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "Tensors must have same number of dimensions: got %d and %d", first->ndim,
                 t->ndim);
      return false;
    }
    for (int d = 0; d < t->ndim; d++) {
      if (d == *dim || t->sizes[d] == first->sizes[d]) continue;
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "Sizes of tensors must match except in dimension %lld. Expected size %lld but got "
                 "size %lld for tensor number %d in the list.",
                 (long long)*dim, (long long)first->sizes[d], (long long)t->sizes[d], i);
      return false;
    }
    if (__builtin_add_overflow(sizes[*dim], t->sizes[*dim], &sizes[*dim])) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "torch.cat(): the sizes of dimension %lld add up to more than 2^63 - 1",
                 (long long)*dim);
      return false;
    }
  }
  return true;
}

/* An output whose parts are collected, so that few launches copy them. */
typedef struct cat_call {
  tocha_stream *stream;
  tocha_tensor *out;
  const int64_t *strides; /* of each part of out */
  tocha_cat_args args;
} cat_call;

/* Prepares `c` for parts of out along dim. The dimensions before dim form its rows. */
static bool begin_cat(tocha_context *cx, cat_call *c, tocha_tensor *out, int64_t dim) {
  c->stream = tocha_stream_of(cx, out->device);
  c->out = out;
  c->strides = out->strides;
  c->args.to = tocha_bytes(out);
  c->args.count = 0;
  c->args.rows = 1;
  for (int64_t i = 0; i < dim; i++) c->args.rows *= out->sizes[i];
  c->args.stride = out->numel / c->args.rows * (int64_t)tocha_dtype_size(out->dtype);
  return c->stream != NULL;
}

static bool launch_cat(tocha_context *cx, cat_call *c) {
  if (c->args.count == 0) return true;
  bool ok = tocha_launched(cx, c->stream->kernels->shape->cat(c->stream, &c->args));
  c->args.count = 0;
  return ok;
}

/* Copies t to element `at` of each row: in the next launch if t is dense and of the output's dtype
 * and device, else by a copy of its own. */
static bool add_part(tocha_context *cx, cat_call *c, tocha_tensor *t, int64_t at) {
  int64_t item = (int64_t)tocha_dtype_size(c->out->dtype);
  if (t->numel == 0) return true;
  if (t->dtype != c->out->dtype || !tocha_is_contiguous(t) ||
      !tocha_device_equal(t->device, c->out->device)) {
    tocha_tensor *part =
        tocha_alias(cx, c->out, t->ndim, t->sizes, c->strides, c->out->offset + at);
    return part && tocha_copy_data(cx, part, t);
  }
  if (c->args.count == TOCHA_CAT_PARTS && !launch_cat(cx, c)) return false;
  c->args.parts[c->args.count++] =
      (tocha_cat_part){tocha_bytes(t), t->numel / c->args.rows * item, at * item};
  return true;
}

/* Returns the new output, which is channels-last if all tensors are. */
static tocha_tensor *new_output(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                const tocha_tensor *first, const int64_t *sizes) {
  int64_t strides[TOCHA_MAX_DIMS];
  tocha_dtype dtype = joined_type(cx, count, tensors);
  if (dtype == TOCHA_NO_DTYPE) return NULL;
  bool last = first->ndim == 4 || first->ndim == 5;
  for (int i = 0; last && i < count; i++)
    last = tensors[i]->ndim == first->ndim && tocha_is_channels_last(tensors[i]);
  if (!last) return tocha_new(cx, first->ndim, sizes, dtype, first->device);
  tocha_channels_last_strides(first->ndim, sizes, strides);
  return tocha_new_strided(cx, first->ndim, sizes, strides, dtype, first->device);
}

/* Implements the recorded operator behind cat. lengths, along dim, are for the gradient. */
tocha_tensor *tocha_op_cat_parts(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                                 int64_t dim, int lengths_count, const int64_t *lengths) {
  (void)lengths_count, (void)lengths;
  int model;
  int64_t sizes[TOCHA_MAX_DIMS], at = 0;
  cat_call c;
  if (!check_cat(cx, tensors_count, tensors, &dim, &model, sizes)) return NULL;
  const tocha_tensor *first = tensors[model < tensors_count ? model : 0];
  tocha_tensor *out = new_output(cx, tensors_count, tensors, first, sizes);
  if (!out || !tocha_has_elements(out)) return out;
  if (!begin_cat(cx, &c, out, dim)) return NULL;
  for (int i = model; i < tensors_count; i++) {
    if (is_legacy_empty(tensors[i])) continue;
    if (!add_part(cx, &c, tensors[i], at * out->strides[dim])) return NULL;
    at += tensors[i]->sizes[dim];
  }
  return launch_cat(cx, &c) ? out : NULL;
}

tocha_tensor *tocha_op_cat(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                           int64_t dim) {
  int64_t few[16] = {0}, *lengths = few, at = dim;
  uint64_t bytes = (uint64_t)tensors_count * sizeof *lengths;
  if (tensors_count > TOCHA_COUNT(few) && !(lengths = tocha_allocate(cx, bytes))) return NULL;
  for (int i = 0; i < tensors_count; i++) {
    const tocha_tensor *t = tensors[i];
    at = dim < 0 ? dim + t->ndim : dim;
    lengths[i] = is_legacy_empty(t) ? LEGACY : at >= 0 && at < t->ndim ? t->sizes[at] : 0;
  }
  tocha_tensor *out = tocha_cat_parts(cx, tensors_count, tensors, dim, tensors_count, lengths);
  if (lengths != few) tocha_deallocate(cx, lengths, bytes);
  return out;
}

/* Writes each tensor's part of the gradient. */
bool tocha_cat_backward(tocha_backward_frame *f) {
  int64_t at = 0, dim = f->args[1].value.integer;
  const int64_t *lengths = f->args[2].value.ints;
  tocha_tensor *grad = f->grads[0];
  if (!grad) return true;
  if (dim < 0) dim += grad->ndim;
  for (int i = 0; i < f->edge_count; i++) {
    int64_t end = at + (lengths[i] == LEGACY ? 0 : lengths[i]);
    if (tocha_wants_grad(f, i)) {
      f->out[i] = lengths[i] == LEGACY ? tocha_new_zeros(f->cx, grad, 1, (const int64_t[]){0})
                                       : tocha_slice(f->cx, grad, dim, &at, &end, 1);
      if (!f->out[i]) return false;
    }
    at = end;
  }
  return true;
}

tocha_tensor *tocha_op_stack(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                             int64_t dim) {
  int64_t sizes[TOCHA_MAX_DIMS + 1], strides[TOCHA_MAX_DIMS];
  char a[256], b[256];
  cat_call c;
  if (tensors_count == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "stack expects a non-empty TensorList");
  tocha_tensor *first = tensors[0];
  int n = first->ndim + 1;
  if (!tocha_wrap_dim(cx, &dim, n)) return NULL;
  for (int i = 1; i < tensors_count; i++)
    if (!tocha_same_sizes(first, tensors[i]))
      return tocha_fail(
          cx, TOCHA_RUNTIME_ERROR,
          "stack expects each tensor to be equal size, but got %s at entry 0 and %s at "
          "entry %d",
          tocha_shape_text(first->ndim, first->sizes, a, sizeof a),
          tocha_shape_text(tensors[i]->ndim, tensors[i]->sizes, b, sizeof b), i);
  for (int i = 0, from = 0; i < n; i++) sizes[i] = i == dim ? tensors_count : first->sizes[from++];
  tocha_device device = first->device; /* CPU numbers may be joined with a device's tensors */
  for (int i = 1; i < tensors_count && device.type == TOCHA_CPU; i++) device = tensors[i]->device;
  tocha_dtype dtype = joined_type(cx, tensors_count, tensors);
  tocha_tensor *out = dtype == TOCHA_NO_DTYPE ? NULL : tocha_new(cx, n, sizes, dtype, device);
  if (!out || !tocha_has_elements(out)) return out;
  if (!begin_cat(cx, &c, out, dim)) return NULL;
  for (int i = 0, to = 0; i < n; i++)
    if (i != dim) strides[to++] = out->strides[i];
  c.strides = strides;
  for (int i = 0; i < tensors_count; i++)
    if (!add_part(cx, &c, tensors[i], i * out->strides[dim])) return NULL;
  return launch_cat(cx, &c) ? out : NULL;
}

bool tocha_stack_backward(tocha_backward_frame *f) {
  int64_t dim = f->args[1].value.integer;
  if (!f->grads[0]) return true;
  for (int i = 0; i < f->edge_count; i++) {
    if (!tocha_wants_grad(f, i)) continue;
    f->out[i] = tocha_select(f->cx, f->grads[0], dim, i);
    if (!f->out[i]) return false;
  }
  return true;
}

/* --- related operators ------------------------------------------------------------------------ */

/* Applies prepare to each tensor and joins the results along dim. */
static tocha_tensor *cat_prepared(tocha_context *cx, const char *name, int count,
                                  tocha_tensor *const *tensors,
                                  tocha_tensor *(*prepare)(tocha_context *, tocha_tensor *),
                                  int64_t dim) {
  if (count == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s expects a non-empty TensorList", name);
  uint64_t bytes = (uint64_t)count * sizeof(tocha_tensor *);
  tocha_tensor **list = tocha_allocate(cx, bytes), *out = NULL;
  if (!list) return NULL;
  bool ok = true;
  for (int i = 0; ok && i < count; i++) ok = (list[i] = prepare(cx, tensors[i])) != NULL;
  if (ok) {
    if (dim == 1 && list[0]->ndim == 1) dim = 0; /* hstack joins vectors along dimension 0 */
    out = tocha_cat(cx, count, list, dim);
  }
  tocha_deallocate(cx, list, bytes);
  return out;
}

static tocha_tensor *as_column(tocha_context *cx, tocha_tensor *t) {
  return t->ndim <= 1 ? tocha_reshape(cx, t, 2, (const int64_t[]){t->numel, 1}) : t;
}

tocha_tensor *tocha_op_hstack(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors) {
  return cat_prepared(cx, "hstack", tensors_count, tensors, tocha_op_atleast_1d, 1);
}

tocha_tensor *tocha_op_vstack(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors) {
  return cat_prepared(cx, "vstack", tensors_count, tensors, tocha_op_atleast_2d, 0);
}

tocha_tensor *tocha_op_dstack(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors) {
  return cat_prepared(cx, "dstack", tensors_count, tensors, tocha_op_atleast_3d, 2);
}

tocha_tensor *tocha_op_column_stack(tocha_context *cx, int tensors_count,
                                    tocha_tensor *const *tensors) {
  return cat_prepared(cx, "column_stack", tensors_count, tensors, as_column, 1);
}
