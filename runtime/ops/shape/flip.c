/* flip.c: reorders elements along dimensions: roll, flip, rot90. */
#include "ops/shape/views.h"
#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tensor/output.h"
#include "tocha/ops/flip.h"
#include "tocha/ops/roll.h"

/* Copies `count` positions along dim from a, starting at `from`, to b, starting at `to`. */
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
  int64_t size = self->sizes[dim], by = (shift % size + size) % size;
  tocha_tensor *out = tocha_new_like(cx, self, self->dtype);
  if (!out || !copy_part(cx, out, by, self, 0, size - by, dim)) return NULL;
  if (by && !copy_part(cx, out, 0, self, size - by, by, dim)) return NULL;
  return tocha_in_format_of(cx, out, self);
}

tocha_tensor *tocha_op_roll(tocha_context *cx, tocha_tensor *self, int shifts_count,
                            const int64_t *shifts, int dims_count, const int64_t *dims) {
  if (shifts_count == 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "`shifts` required");
  bool aligned = dims_count == shifts_count || (dims_count == 0 && shifts_count == 1);
  if (self->numel == 0 && aligned)
    return dims_count || self->ndim == 1
               ? tocha_copy_as(cx, self, TOCHA_NO_DTYPE, tocha_its_device(), TOCHA_PRESERVE_FORMAT)
               : tocha_copy_rows(cx, self);
  if (dims_count == 0 && shifts_count == 1) { /* rolls the flattened elements */
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
    if (self->ndim == 0)
      return tocha_fail(cx, TOCHA_INDEX_ERROR,
                        "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
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
    back[i] = size ? -(f->args[1].value.ints[i] % size) : 0; /* limited to safely negate it */
  }
  f->out[0] = tocha_roll(f->cx, f->grads[0], n, back, f->args[2].count, f->args[2].value.ints);
  return f->out[0] != NULL;
}

/* Copies from a view with negative strides, which the copy supports. */
tocha_tensor *tocha_op_flip(tocha_context *cx, tocha_tensor *self, int dims_count,
                            const int64_t *dims) {
  bool marked[TOCHA_MAX_DIMS];
  if (!tocha_mark_dims(cx, dims_count, dims, self->ndim, marked)) return NULL;
  tocha_tensor *out = tocha_new_copy_of(cx, self, self->dtype, self->device);
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
