/* permute.c: shapes made of other views (flatten, movedim, T) and copies in another order
 * (repeat, roll, flip). */
#include <string.h>

#include "tensor/copy.h"
#include "device/devices.h"
#include "tensor/transfer.h"
#include "ops/shape/kernels.h"
#include "tensor/iterator.h"
#include "ops/shape/views.h"
#include "ops/sorting/sort.h"
#include "shape/implementations.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/cumsum.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/flatten.h"
#include "tocha/ops/flip.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/repeat.h"
#include "tocha/ops/repeat_interleave.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/roll.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/view.h"
#include "tocha/ops/view_alias.h"

/* --- shapes ------------------------------------------------------------------------------------------ */

tocha_tensor *tocha_op_flatten(tocha_context *cx, tocha_tensor *self, int64_t start_dim,
                               int64_t end_dim) {
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!tocha_wrap_dim(cx, &start_dim, self->ndim) || !tocha_wrap_dim(cx, &end_dim, self->ndim))
    return NULL;
  if (start_dim > end_dim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self->ndim == 0) return tocha_reshape(cx, self, 1, (const int64_t[]){1});
  if (start_dim == end_dim) return self;
  int n = 0;
  for (int i = 0; i < self->ndim; i++) {
    if (i > start_dim && i <= end_dim)
      sizes[n - 1] *= self->sizes[i];
    else
      sizes[n++] = self->sizes[i];
  }
  return tocha_reshape(cx, self, n, sizes);
}

tocha_tensor *tocha_op_ravel(tocha_context *cx, tocha_tensor *self) {
  tocha_tensor *t = tocha_contiguous(cx, self);
  return t ? tocha_view(cx, t, 1, (const int64_t[]){-1}) : NULL;
}

tocha_tensor *tocha_op_unflatten(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                 int sizes_count, const int64_t *sizes) {
  int64_t all[2 * TOCHA_MAX_DIMS], product = 1, inferred = 0;
  char text[256];
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (sizes_count == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unflatten: sizes must be non-empty");
  int64_t size = self->ndim ? self->sizes[dim] : 1;
  for (int i = 0; i < sizes_count; i++) {
    inferred += sizes[i] == -1;
    if (sizes[i] != -1 && __builtin_mul_overflow(product, sizes[i], &product))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "numel: integer multiplication overflow");
  }
  if (inferred == 1 ? product == 0 || size % product != 0 : product != size)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "unflatten: Provided sizes %s don't multiply up to the size of dim %lld (%lld) "
        "in the input tensor",
        tocha_shape_text(sizes_count, sizes, text, sizeof text), (long long)dim, (long long)size);
  if (sizes_count + self->ndim > TOCHA_MAX_DIMS + 1)
    return tocha_tensor_header(cx, sizes_count + self->ndim, self->dtype, self->device);
  int n = 0;
  for (int i = 0; i < dim; i++) all[n++] = self->sizes[i];
  for (int i = 0; i < sizes_count; i++) all[n++] = sizes[i] == -1 ? size / product : sizes[i];
  for (int i = (int)dim + 1; i < self->ndim; i++) all[n++] = self->sizes[i];
  return tocha_view(cx, self, n, all);
}

tocha_tensor *tocha_op_view_as(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  return tocha_view(cx, self, other->ndim, other->sizes);
}

tocha_tensor *tocha_op_reshape_as(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  return tocha_reshape(cx, self, other->ndim, other->sizes);
}

tocha_tensor *tocha_op_expand_as(tocha_context *cx, tocha_tensor *self, tocha_tensor *other) {
  return tocha_expand(cx, self, other->ndim, other->sizes);
}

tocha_tensor *tocha_op_broadcast_to(tocha_context *cx, tocha_tensor *self, int size_count,
                                    const int64_t *size) {
  return tocha_expand(cx, self, size_count, size);
}

tocha_tensor *tocha_op_swapaxes(tocha_context *cx, tocha_tensor *self, int64_t axis0,
                                int64_t axis1) {
  return tocha_transpose(cx, self, axis0, axis1);
}

tocha_tensor *tocha_op_movedim(tocha_context *cx, tocha_tensor *self, int source_count,
                               const int64_t *source, int destination_count,
                               const int64_t *destination) {
  int64_t order[TOCHA_MAX_DIMS];
  bool moved[TOCHA_MAX_DIMS] = {false}, taken[TOCHA_MAX_DIMS] = {false};
  char a[256], b[256];
  if (source_count != destination_count)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "movedim: Invalid source or destination dims: source (%s dims) should contain "
        "the same number of dims as destination (%s dims)",
        tocha_shape_text(source_count, source, a, sizeof a),
        tocha_shape_text(destination_count, destination, b, sizeof b));
  for (int i = 0; i < source_count; i++) {
    int64_t from = source[i], to = destination[i];
    if (!tocha_wrap_dim(cx, &from, self->ndim) || !tocha_wrap_dim(cx, &to, self->ndim)) return NULL;
    if (moved[from])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "movedim: repeated dim in `source` (%s)",
                        tocha_shape_text(source_count, source, a, sizeof a));
    if (taken[to])
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "movedim: repeated dim in `destination` (%s)",
                        tocha_shape_text(destination_count, destination, b, sizeof b));
    moved[from] = taken[to] = true;
    order[to] = from;
  }
  if (self->ndim == 0) return tocha_view_alias(cx, self);
  for (int at = 0, from = 0; at < self->ndim; at++) {
    if (taken[at]) continue;
    while (moved[from]) from++;
    order[at] = from++;
  }
  return tocha_permute(cx, self, self->ndim, order);
}

tocha_tensor *tocha_op_T(tocha_context *cx, tocha_tensor *self) {
  int64_t order[TOCHA_MAX_DIMS];
  if (self->ndim != 2 && self->ndim != 0)
    tocha_warn(cx,
               "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
               "deprecated and it will throw an error in a future release. Consider `x.mT` to "
               "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to "
               "reverse the dimensions of a tensor.");
  for (int i = 0; i < self->ndim; i++) order[i] = self->ndim - 1 - i;
  return tocha_permute(cx, self, self->ndim, order);
}

static tocha_tensor *matrix_transpose(tocha_context *cx, tocha_tensor *self, const char *name) {
  if (self->ndim == 1 || (self->ndim == 0 && name[0] == 'a'))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "tensor.%s is only supported on matrices or batches of matrices. Got %d-D "
                      "tensor.",
                      name, self->ndim);
  return self->ndim == 0 ? tocha_permute(cx, self, 0, NULL) : tocha_transpose(cx, self, -2, -1);
}

tocha_tensor *tocha_op_mT(tocha_context *cx, tocha_tensor *self) {
  return matrix_transpose(cx, self, "mT");
}

tocha_tensor *tocha_op_mH(tocha_context *cx, tocha_tensor *self) {
  return matrix_transpose(cx, self, "mH");
}

tocha_tensor *tocha_op_adjoint(tocha_context *cx, tocha_tensor *self) {
  return matrix_transpose(cx, self, "adjoint()");
}

tocha_tensor *tocha_op_H(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim != 2 && self->ndim != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "tensor.H is only supported on matrices (2-D tensors). Got %d-D tensor.%s",
                      self->ndim,
                      self->ndim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return self->ndim == 0 ? tocha_permute(cx, self, 0, NULL) : tocha_transpose(cx, self, 0, 1);
}

tocha_tensor *tocha_op_atleast_1d(tocha_context *cx, tocha_tensor *self) {
  return self->ndim ? self : tocha_reshape(cx, self, 1, (const int64_t[]){1});
}

tocha_tensor *tocha_op_atleast_2d(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim == 0) return tocha_reshape(cx, self, 2, (const int64_t[]){1, 1});
  return self->ndim == 1 ? tocha_unsqueeze(cx, self, 0) : self;
}

tocha_tensor *tocha_op_atleast_3d(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim == 0) return tocha_reshape(cx, self, 3, (const int64_t[]){1, 1, 1});
  if (self->ndim == 1) self = tocha_unsqueeze(cx, self, 0);
  return self && self->ndim == 2 ? tocha_unsqueeze(cx, self, -1) : self;
}

/* --- changing one's own geometry ---------------------------------------------------------------------- */

/* The geometry of view becomes self's. A recorded self would need its history rewritten. */
static tocha_tensor *become(tocha_context *cx, tocha_tensor *self, tocha_tensor *view,
                            const char *name) {
  if (!view) return NULL;
  if (tocha_requires_grad(self))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "%s_() is not available for a tensor that requires grad; use %s()", name,
                      name);
  return tocha_set_geometry(cx, self, view->ndim, view->sizes, view->strides, view->offset) ? self
                                                                                            : NULL;
}

tocha_tensor *tocha_op_t_(tocha_context *cx, tocha_tensor *self) {
  return become(cx, self, tocha_op_t(cx, self), "t");
}

tocha_tensor *tocha_op_transpose_(tocha_context *cx, tocha_tensor *self, int64_t dim0,
                                  int64_t dim1) {
  return become(cx, self, tocha_op_transpose(cx, self, dim0, dim1), "transpose");
}

tocha_tensor *tocha_op_squeeze_(tocha_context *cx, tocha_tensor *self) {
  return become(cx, self, tocha_op_squeeze(cx, self), "squeeze");
}

tocha_tensor *tocha_op_squeeze__dim(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  return become(cx, self, tocha_op_squeeze_dim(cx, self, dim), "squeeze");
}

tocha_tensor *tocha_op_unsqueeze_(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  return become(cx, self, tocha_op_unsqueeze(cx, self, dim), "unsqueeze");
}

/* --- repetition --------------------------------------------------------------------------------------- */

/* The result is seen as [r0, s0, r1, s1, ...] and self copied into it with stride 0 along r. */
tocha_tensor *tocha_op_repeat(tocha_context *cx, tocha_tensor *self, int repeats_count,
                              const int64_t *repeats) {
  int64_t sizes[TOCHA_MAX_DIMS], to_sizes[TOCHA_MAX_DIMS], to_strides[TOCHA_MAX_DIMS];
  int64_t from_strides[TOCHA_MAX_DIMS];
  if (repeats_count < self->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Number of dimensions of repeat dims can not be smaller than number of "
                      "dimensions of tensor");
  if (2 * repeats_count > TOCHA_MAX_DIMS)
    return tocha_tensor_header(cx, 2 * repeats_count, self->dtype, self->device);
  int shift = repeats_count - self->ndim;
  for (int i = 0; i < repeats_count; i++)
    sizes[i] = tocha_wrapping_product(repeats[i], i < shift ? 1 : self->sizes[i - shift]);
  tocha_tensor *out = tocha_new(cx, repeats_count, sizes, self->dtype, self->device);
  if (!out || out->numel == 0 || out->device.type == TOCHA_META) return out;
  for (int i = 0; i < repeats_count; i++) {
    int64_t size = i < shift ? 1 : self->sizes[i - shift];
    to_sizes[2 * i] = repeats[i];
    to_sizes[2 * i + 1] = size;
    to_strides[2 * i] = size * out->strides[i];
    to_strides[2 * i + 1] = out->strides[i];
    from_strides[2 * i] = 0;
    from_strides[2 * i + 1] = i < shift ? 0 : self->strides[i - shift];
  }
  int n = 2 * repeats_count;
  tocha_tensor *to = tocha_alias(cx, out, n, to_sizes, to_strides, 0);
  tocha_tensor *from = tocha_alias(cx, self, n, to_sizes, from_strides, self->offset);
  return to && from && tocha_copy_data(cx, to, from) ? out : NULL;
}

/* All repetitions become leading dimensions, which are summed as those of any broadcast are. */
bool tocha_repeat_backward(tocha_backward_frame *f) {
  tocha_shape s = tocha_edge_shape(f, 0);
  int64_t split[TOCHA_MAX_DIMS], order[TOCHA_MAX_DIMS];
  int n = f->args[1].count, shift = n - s.ndim;
  if (!f->grads[0]) return true;
  for (int i = 0; i < n; i++) {
    split[2 * i] = f->args[1].value.ints[i];
    split[2 * i + 1] = i < shift ? 1 : s.sizes[i - shift];
    order[i] = 2 * i;
    order[n + i] = 2 * i + 1;
  }
  tocha_tensor *g = tocha_reshape(f->cx, f->grads[0], 2 * n, split);
  f->out[0] = g ? tocha_permute(f->cx, g, 2 * n, order) : NULL;
  return f->out[0] != NULL;
}

tocha_tensor *tocha_op_tile(tocha_context *cx, tocha_tensor *self, int dims_count,
                            const int64_t *dims) {
  int64_t repeats[TOCHA_MAX_DIMS];
  if (dims_count >= self->ndim) return tocha_repeat(cx, self, dims_count, dims);
  int shift = self->ndim - dims_count;
  for (int i = 0; i < self->ndim; i++) repeats[i] = i < shift ? 1 : dims[i - shift];
  return tocha_repeat(cx, self, self->ndim, repeats);
}

tocha_tensor *tocha_op_repeat_interleave(tocha_context *cx, tocha_tensor *self, int64_t repeats,
                                         const int64_t *dim, const int64_t *output_size) {
  int64_t d = dim ? *dim : 0, sizes[TOCHA_MAX_DIMS];
  if (!dim) self = tocha_flatten(cx, self, 0, -1);
  if (!self || !tocha_wrap_dim(cx, &d, self->ndim)) return NULL;
  if (repeats < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Repeats must be non-negative");
  int64_t size = self->ndim ? self->sizes[d] : 1;
  if (output_size && *output_size != size * repeats)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "repeat_interleave: Invalid output_size, expected %lld but got %lld",
                      (long long)size * repeats, (long long)*output_size);
  if (self->ndim == 0) self = tocha_reshape(cx, self, 1, (const int64_t[]){1});
  tocha_tensor *t = tocha_unsqueeze(cx, self, d + 1);
  if (!t) return NULL;
  memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
  sizes[d + 1] = repeats;
  t = tocha_clone_full(cx, tocha_expand(cx, t, t->ndim, sizes), "contiguous_format");
  return t ? tocha_flatten(cx, t, d, d + 1) : NULL;
}

/* counts: dense int64. Waits, for the number of positions. */
static tocha_tensor *repeat_on_device(tocha_context *cx, tocha_tensor *counts) {
  int64_t total = 0, least = 0, greatest, n = counts->numel;
  tocha_tensor *ends = NULL;
  if (n) {
    if (!tocha_integer_range(cx, counts, &least, &greatest)) return NULL;
    if (least < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "repeats can not be negative");
    ends = tocha_cumsum(cx, counts, 0);
    tocha_tensor *last = ends ? tocha_alias(cx, ends, 0, &n, &n, n - 1) : NULL;
    if (!last || !tocha_read_element(cx, last, &total)) return NULL;
  }
  tocha_tensor *out = tocha_new(cx, 1, &total, TOCHA_INT64, counts->device);
  if (!out || !ends || total == 0) return out;
  tocha_stream *q = tocha_stream_of(cx, out->device);
  tocha_repeat_args args = {(const int64_t *)(void *)tocha_bytes(ends),
                            (int64_t *)(void *)tocha_bytes(out), n, total};
  return q && tocha_launched(cx, q->kernels->shape->repeat_positions(q, &args)) ? out : NULL;
}

/* repeats: how often each position; the result is the positions themselves. */
tocha_tensor *tocha_op_repeat_interleave_indices(tocha_context *cx, tocha_tensor *repeats) {
  if (repeats->ndim > 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "repeats must be 0-dim or 1-dim tensor");
  if (tocha_dtype_is_floating(repeats->dtype) || repeats->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"repeat_interleave_cpu\" not implemented for '%s'",
                      tocha_dtype_scalar_type(repeats->dtype));
  if (repeats->device.type == TOCHA_META)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "cannot repeat_interleave a meta tensor without output_size");
  tocha_tensor *counts = tocha_as_rows(cx, repeats, TOCHA_INT64);
  if (!counts) return NULL;
  if (tocha_is_on_device(counts)) {
    tocha_tensor *out = repeat_on_device(cx, counts);
    return out ? tocha_as_dtype(cx, out, repeats->dtype) : NULL;
  }
  const int64_t *count = counts->numel ? (const int64_t *)(void *)tocha_bytes(counts) : NULL;
  int64_t total = 0, at = 0;
  for (int64_t i = 0; i < counts->numel; i++) {
    if (count[i] < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "repeats can not be negative");
    total += count[i];
  }
  tocha_tensor *out = tocha_new(cx, 1, &total, TOCHA_INT64, repeats->device);
  if (!out) return NULL;
  int64_t *to = (int64_t *)(void *)tocha_bytes(out);
  for (int64_t i = 0; i < counts->numel; i++)
    for (int64_t k = 0; k < count[i]; k++) to[at++] = i;
  return tocha_as_dtype(cx, out, repeats->dtype);
}

tocha_tensor *tocha_op_repeat_interleave_tensor(tocha_context *cx, tocha_tensor *self,
                                                tocha_tensor *repeats, const int64_t *dim,
                                                const int64_t *output_size) {
  int64_t d = dim ? *dim : 0;
  if (!dim) self = tocha_flatten(cx, self, 0, -1);
  if (!self || !tocha_wrap_dim(cx, &d, self->ndim)) return NULL;
  int64_t size = self->ndim ? self->sizes[d] : 1;
  if (repeats->ndim == 0 || (repeats->ndim == 1 && repeats->sizes[0] == 1))
    repeats = tocha_expand(cx, tocha_reshape(cx, repeats, 1, (const int64_t[]){1}), 1, &size);
  else if (repeats->ndim == 1 && repeats->sizes[0] != size)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "repeats must have the same size as input along dim, but got repeats.size(0) = "
        "%lld and input.size(%lld) = %lld",
        (long long)repeats->sizes[0], (long long)d, (long long)size);
  if (!repeats) return NULL;
  tocha_tensor *index = output_size && repeats->device.type == TOCHA_META
                            ? tocha_new(cx, 1, output_size, TOCHA_INT64, repeats->device)
                            : tocha_repeat_interleave_indices(cx, repeats);
  if (!index) return NULL;
  if (output_size && *output_size != index->numel)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "allocated size does not match required size");
  return tocha_index_select(cx, self, d, index);
}

/* --- order -------------------------------------------------------------------------------------------- */

/* Copies part of a (from `from`, `count` long, along dim) to part of b (at `to`). */
static bool copy_part(tocha_context *cx, tocha_tensor *b, int64_t to, tocha_tensor *a, int64_t from,
                      int64_t count, int64_t dim) {
  tocha_tensor *target = tocha_shallow(cx, b), *source = tocha_shallow(cx, a);
  if (!target || !source) return false;
  target->offset += to * target->strides[dim];
  source->offset += from * source->strides[dim];
  target->sizes[dim] = source->sizes[dim] = count;
  tocha_tensor_finish(target);
  tocha_tensor_finish(source);
  return tocha_copy_data(cx, target, source);
}

static tocha_tensor *roll_one(tocha_context *cx, tocha_tensor *self, int64_t shift, int64_t dim) {
  if (self->numel == 0) return tocha_copy_rows(cx, self);
  int64_t size = self->sizes[dim], by = (shift % size + size) % size;
  tocha_tensor *out = tocha_new_like(cx, self, self->dtype);
  if (!out || !copy_part(cx, out, by, self, 0, size - by, dim)) return NULL;
  return by == 0 || copy_part(cx, out, 0, self, size - by, by, dim) ? out : NULL;
}

tocha_tensor *tocha_op_roll(tocha_context *cx, tocha_tensor *self, int shifts_count,
                            const int64_t *shifts, int dims_count, const int64_t *dims) {
  if (shifts_count == 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "`shifts` required");
  if (dims_count == 0 && shifts_count == 1) { /* the elements in a row */
    tocha_tensor *flat = tocha_copy_rows(cx, self);
    if (!flat) return NULL;
    flat = tocha_op_view(cx, flat, 1, (const int64_t[]){-1 + (self->numel == 0)});
    flat = flat ? roll_one(cx, flat, shifts[0], 0) : NULL;
    return flat ? tocha_op_view(cx, flat, self->ndim, self->sizes) : NULL;
  }
  if (dims_count != shifts_count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "shifts and dimensions must align. shifts: %d, dims:%d", shifts_count,
                      dims_count);
  for (int i = 0; i < dims_count && self; i++) {
    int64_t dim = dims[i];
    if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
    if (self->ndim == 0) return tocha_copy_rows(cx, self);
    self = roll_one(cx, self, shifts[i], dim);
  }
  return self;
}

bool tocha_roll_backward(tocha_backward_frame *f) {
  int64_t back[TOCHA_MAX_DIMS];
  int n = f->args[1].count < TOCHA_MAX_DIMS ? f->args[1].count : TOCHA_MAX_DIMS;
  if (!f->grads[0]) return true;
  for (int i = 0; i < n; i++) {
    int64_t dim = i < f->args[2].count ? f->args[2].value.ints[i] : 0, size = f->grads[0]->numel;
    if (f->args[2].count && f->grads[0]->ndim)
      size = f->grads[0]->sizes[dim < 0 ? dim + f->grads[0]->ndim : dim];
    back[i] = size ? -(f->args[1].value.ints[i] % size) : 0; /* any shift can be negated so */
  }
  f->out[0] = tocha_roll(f->cx, f->grads[0], n, back, f->args[2].count, f->args[2].value.ints);
  return f->out[0] != NULL;
}

/* The walk takes any strides, so the source is read backward. */
tocha_tensor *tocha_op_flip(tocha_context *cx, tocha_tensor *self, int dims_count,
                            const int64_t *dims) {
  bool marked[TOCHA_MAX_DIMS];
  if (!tocha_mark_dims(cx, dims_count, dims, self->ndim, marked)) return NULL;
  tocha_tensor *out =
      tocha_new_output(cx, self->ndim, self->sizes, self->dtype, self->device, 1, &self);
  tocha_tensor *source = tocha_shallow(cx, self);
  if (!out || !source || out->numel == 0) return out;
  for (int i = 0; i < self->ndim; i++) {
    if (!marked[i]) continue;
    source->offset += (source->sizes[i] - 1) * source->strides[i];
    source->strides[i] = -source->strides[i];
  }
  tocha_tensor_finish(source);
  return tocha_copy_data(cx, out, source) ? out : NULL;
}

tocha_tensor *tocha_op_fliplr(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim < 2) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input must be >= 2-d.");
  return tocha_flip(cx, self, 1, (const int64_t[]){1});
}

tocha_tensor *tocha_op_flipud(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim < 1) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Input must be >= 1-d.");
  return tocha_flip(cx, self, 1, (const int64_t[]){0});
}

tocha_tensor *tocha_op_rot90(tocha_context *cx, tocha_tensor *self, int64_t k, int dims_count,
                             const int64_t *dims) {
  int64_t standard[2] = {0, 1}, a, b;
  if (dims_count == 0) dims = standard, dims_count = 2;
  if (dims_count != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "expected total rotation dims == 2, but got dims = %d", dims_count);
  if (self->ndim < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected total dims >= 2, but got total dims = %d",
                      self->ndim);
  a = dims[0], b = dims[1];
  if (a == b)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "expected rotation dims to be different, but got dim0 = %lld and dim1 = %lld",
                      (long long)a, (long long)b);
  if (!tocha_wrap_dim(cx, &a, self->ndim) || !tocha_wrap_dim(cx, &b, self->ndim)) return NULL;
  k = (k % 4 + 4) % 4;
  if (k == 0) return tocha_copy_rows(cx, self);
  if (k == 2) return tocha_op_flip(cx, self, 2, (const int64_t[]){a, b});
  tocha_tensor *t = tocha_op_flip(cx, self, 1, k == 1 ? &b : &a);
  return t ? tocha_op_transpose(cx, t, a, b) : NULL;
}
