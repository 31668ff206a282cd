/* cat.c: several tensors into one: cat, stack and their relatives. */
#include <string.h>

#include "device/devices.h"
#include "ops/shape/kernels.h"
#include "tensor/copy.h"
#include "shape/implementations.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/cat_parts.h"
#include "tocha/ops/new_zeros.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/select.h"
#include "tocha/ops/slice.h"

/* A tensor of shape [0] takes part in a cat of anything, as it did before there were 0-dim ones. */
enum { LEGACY = -1 }; /* the length of such a tensor */
static bool is_legacy_empty(const tocha_tensor *t) { return t->ndim == 1 && t->sizes[0] == 0; }

static tocha_dtype joined_type(tocha_context *cx, int count, tocha_tensor *const *tensors) {
  tocha_dtype type = TOCHA_NO_DTYPE;
  (void)cx;
  for (int i = 0; i < count; i++)
    type =
        type == TOCHA_NO_DTYPE ? tensors[i]->dtype : tocha_promote_types(type, tensors[i]->dtype);
  return type;
}

/* Checks the shapes; the sizes of the result into sizes, the first real tensor's number into
 * *model (count where all are empty). */
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
    sizes[*dim] += t->sizes[*dim];
  }
  return true;
}

/* tensor's values into out at position `at` of dim, as many as it has there. */
static bool place(tocha_context *cx, tocha_tensor *out, int64_t dim, int64_t at,
                  tocha_tensor *tensor) {
  size_t item = tocha_dtype_size(out->dtype);
  if (tensor->numel == 0 || out->device.type == TOCHA_META) return true;
  if (!tocha_is_on_device(out) && dim == 0 && tensor->dtype == out->dtype &&
      tocha_is_contiguous(tensor) && tensor->numel <= 4096) { /* the many small rows of a batch */
    memcpy(tocha_bytes(out) + (size_t)(at * out->strides[0]) * item, tocha_bytes(tensor),
           (size_t)tensor->numel * item);
    return true;
  }
  tocha_tensor *part = tocha_alias(cx, out, out->ndim, out->sizes, out->strides,
                                   out->offset + at * out->strides[dim]);
  if (!part) return false;
  part->sizes[dim] = tensor->sizes[dim];
  tocha_tensor_finish(part);
  return tocha_copy_data(cx, part, tensor);
}

/* --- on a device: all dense tensors of the output's type in few launches ------------------------------ */

/* out seen as rows of `stride` bytes (one row where the joined dimension is the first). */
typedef struct device_cat {
  tocha_stream *stream;
  tocha_cat_args args;
  tocha_tensor *out;
} device_cat;

static bool begin_cat(tocha_context *cx, device_cat *j, tocha_tensor *out, int64_t dim) {
  j->stream = tocha_stream_of(cx, out->device);
  j->out = out;
  j->args = (tocha_cat_args){.to = tocha_bytes(out), .rows = 1};
  for (int64_t i = 0; i < dim; i++) j->args.rows *= out->sizes[i];
  j->args.stride = out->numel / j->args.rows * (int64_t)tocha_dtype_size(out->dtype);
  return j->stream != NULL;
}

/* The largest power of two up to 16 that divides all addresses and sizes. */
static int32_t common_piece(const tocha_cat_args *args) {
  uint64_t bits = 16 | (uint64_t)(uintptr_t)args->to;
  if (args->rows > 1) bits |= (uint64_t)args->stride;
  for (int32_t i = 0; i < args->count; i++)
    bits |= (uint64_t)(uintptr_t)args->parts[i].from | (uint64_t)args->parts[i].bytes |
            (uint64_t)args->parts[i].at;
  return (int32_t)(bits & (~bits + 1));
}

static bool flush_cat(tocha_context *cx, device_cat *j) {
  if (j->args.count == 0) return true;
  j->args.piece = common_piece(&j->args);
  bool ok = tocha_launched(cx, j->stream->kernels->shape->cat(j->stream, &j->args));
  j->args.count = 0;
  return ok;
}

/* t's values at element `at` of each row of out, soon; *taken: false where t needs a copy of its own. */
static bool cat_part(tocha_context *cx, device_cat *j, const tocha_tensor *t, int64_t at,
                     bool *taken) {
  int64_t item = (int64_t)tocha_dtype_size(j->out->dtype);
  *taken = t->dtype == j->out->dtype && tocha_is_contiguous(t) && tocha_is_on_device(t);
  if (!*taken || t->numel == 0) return true;
  if (j->args.count == TOCHA_CAT_PARTS && !flush_cat(cx, j)) return false;
  j->args.parts[j->args.count].from = tocha_bytes(t);
  j->args.parts[j->args.count].bytes = t->numel / j->args.rows * item;
  j->args.parts[j->args.count].at = at * item;
  j->args.count++;
  return true;
}

static bool cat_on_device(tocha_context *cx, tocha_tensor *out, int64_t dim, int count,
                          tocha_tensor *const *tensors) {
  device_cat j;
  int64_t at = 0;
  bool taken;
  if (out->numel == 0) return true;
  if (!begin_cat(cx, &j, out, dim)) return false;
  for (int i = 0; i < count; i++) {
    if (is_legacy_empty(tensors[i])) continue;
    if (!cat_part(cx, &j, tensors[i], at * out->strides[dim], &taken) ||
        (!taken && !place(cx, out, dim, at, tensors[i])))
      return false;
    at += tensors[i]->sizes[dim];
  }
  return flush_cat(cx, &j);
}

static bool stack_on_device(tocha_context *cx, tocha_tensor *out, int64_t dim, int count,
                            tocha_tensor *const *tensors) {
  device_cat j;
  bool taken;
  if (!begin_cat(cx, &j, out, dim)) return false;
  for (int i = 0; i < count; i++) {
    if (!cat_part(cx, &j, tensors[i], i * out->strides[dim], &taken)) return false;
    if (taken) continue;
    tocha_tensor *part = tocha_op_select(cx, out, dim, i);
    if (!part || !tocha_copy_data(cx, part, tensors[i])) return false;
  }
  return flush_cat(cx, &j);
}

/* The recorded operator behind cat: lengths, along dim, are for its gradient. */
tocha_tensor *tocha_op_cat_parts(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                                 int64_t dim, int lengths_count, const int64_t *lengths) {
  (void)lengths_count, (void)lengths;
  int model;
  int64_t sizes[TOCHA_MAX_DIMS], at = 0;
  if (!check_cat(cx, tensors_count, tensors, &dim, &model, sizes)) return NULL;
  const tocha_tensor *first = tensors[model < tensors_count ? model : 0];
  tocha_tensor *out =
      tocha_new(cx, first->ndim, sizes, joined_type(cx, tensors_count, tensors), first->device);
  if (out && tocha_is_on_device(out))
    return cat_on_device(cx, out, dim, tensors_count, tensors) ? out : NULL;
  for (int i = model; out && i < tensors_count; i++) {
    if (is_legacy_empty(tensors[i])) continue;
    if (!place(cx, out, dim, at, tensors[i])) return NULL;
    at += tensors[i]->sizes[dim];
  }
  return out;
}

tocha_tensor *tocha_op_cat(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                           int64_t dim) {
  int64_t few[16] = {0}, *lengths = few, at = dim;
  size_t bytes = (size_t)tensors_count * sizeof *lengths;
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

/* Each tensor's part of the gradient. */
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
  int64_t sizes[TOCHA_MAX_DIMS + 1];
  char a[256], b[256];
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
  tocha_device device = first->device; /* numbers of the CPU join tensors of a device */
  for (int i = 1; i < tensors_count && device.type == TOCHA_CPU; i++) device = tensors[i]->device;
  tocha_tensor *out = tocha_new(cx, n, sizes, joined_type(cx, tensors_count, tensors), device);
  if (!out || out->numel == 0 || out->device.type == TOCHA_META) return out;
  if (tocha_is_on_device(out))
    return stack_on_device(cx, out, dim, tensors_count, tensors) ? out : NULL;
  size_t item = tocha_dtype_size(out->dtype), row = (size_t)first->numel * item;
  for (int i = 0; i < tensors_count; i++) {
    tocha_tensor *t = tensors[i];
    if (dim == 0 && t->dtype == out->dtype && tocha_is_contiguous(t) && t->numel <= 4096) {
      memcpy(tocha_bytes(out) + (size_t)i * row, tocha_bytes(t), row);
      continue;
    }
    tocha_tensor *part = tocha_op_select(cx, out, dim, i);
    if (!part || !tocha_copy_data(cx, part, t)) return NULL;
  }
  return out;
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

/* --- the relatives -------------------------------------------------------------------------------------- */

/* cat along dim of what prepare makes of each tensor. */
static tocha_tensor *cat_prepared(tocha_context *cx, const char *name, int count,
                                  tocha_tensor *const *tensors,
                                  tocha_tensor *(*prepare)(tocha_context *, tocha_tensor *),
                                  int64_t dim) {
  if (count == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s expects a non-empty TensorList", name);
  size_t bytes = (size_t)count * sizeof(tocha_tensor *);
  tocha_tensor **list = tocha_allocate(cx, bytes), *out = NULL;
  if (!list) return NULL;
  bool ok = true;
  for (int i = 0; ok && i < count; i++) ok = (list[i] = prepare(cx, tensors[i])) != NULL;
  if (ok) {
    if (dim == 1 && list[0]->ndim == 1) dim = 0; /* hstack of vectors */
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
