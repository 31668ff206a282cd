/* repeat.c: repeats a tensor (repeat, tile), or each of its elements (repeat_interleave). */
#include <string.h>

#include "device/devices.h"
#include "ops/shape/kernels.h"
#include "ops/sorting/sort.h"
#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tensor/transfer.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/cumsum.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/flatten.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/permute.h"
#include "tocha/ops/repeat.h"
#include "tocha/ops/repeat_interleave.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/unsqueeze.h"

/* Views the result as [r0, s0, r1, s1, ...] and copies self into it with stride 0 along each r. */
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

/* Moves all repetitions to leading dimensions, which are then summed like those of a broadcast. */
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

/* --- repeat_interleave ------------------------------------------------------------------------ */

tocha_tensor *tocha_op_repeat_interleave(tocha_context *cx, tocha_tensor *self, int64_t repeats,
                                         const int64_t *dim, const int64_t *output_size) {
  int64_t d = dim ? *dim : 0, sizes[TOCHA_MAX_DIMS];
  if (!dim) self = tocha_flatten(cx, self, 0, -1);
  if (!self || !tocha_wrap_dim(cx, &d, self->ndim)) return NULL;
  if (repeats < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Repeats must be non-negative");
  int64_t next = d + 1;
  if (!tocha_wrap_dim(cx, &next, self->ndim + (self->ndim > 0))) return NULL;
  int64_t size = self->sizes[d];
  if (output_size && *output_size != size * repeats)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "repeat_interleave: Invalid output_size, expected %lld but got %lld",
                      (long long)size * repeats, (long long)*output_size);
  tocha_tensor *t = tocha_unsqueeze(cx, self, d + 1);
  if (!t) return NULL;
  memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
  sizes[d + 1] = repeats;
  t = tocha_clone_full(cx, tocha_expand(cx, t, t->ndim, sizes), "torch.contiguous_format");
  return t ? tocha_flatten(cx, t, d, d + 1) : NULL;
}

/* Returns the repeated positions. counts: dense int64. Waits for the device, because it reads the
 * number of positions. */
static tocha_tensor *repeat_positions(tocha_context *cx, tocha_tensor *counts) {
  int64_t total = 0, minimum, maximum, n = counts->numel;
  if (n == 0) return tocha_new(cx, 1, &total, TOCHA_INT64, counts->device);
  if (!tocha_integer_range(cx, counts, &minimum, &maximum)) return NULL;
  if (minimum < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "repeats can not be negative");
  if (maximum > INT64_MAX / n) /* the sum could overflow; fails for lack of memory */
    return tocha_new(cx, 1, &maximum, TOCHA_INT64, counts->device);
  tocha_tensor *ends = tocha_cumsum(cx, counts, 0);
  tocha_tensor *last = ends ? tocha_alias(cx, ends, 0, &n, &n, n - 1) : NULL;
  if (!last || !tocha_read_element(cx, last, &total)) return NULL;
  tocha_tensor *out = tocha_new(cx, 1, &total, TOCHA_INT64, counts->device);
  tocha_stream *stream = out ? tocha_stream_of(cx, out->device) : NULL;
  if (!stream || total == 0) return out;
  tocha_repeat_positions_args args = {(const int64_t *)(void *)tocha_bytes(ends),
                                      (int64_t *)(void *)tocha_bytes(out), n, total};
  return tocha_launched(cx, stream->kernels->shape->repeat_positions(stream, &args)) ? out : NULL;
}

/* Returns each position repeats[position] times. */
tocha_tensor *tocha_op_repeat_interleave_indices(tocha_context *cx, tocha_tensor *repeats) {
  if (tocha_dtype_is_floating(repeats->dtype) || repeats->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"repeat_interleave_cpu\" not implemented for '%s'",
                      tocha_dtype_scalar_type(repeats->dtype));
  if (repeats->ndim != 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "repeat_interleave only accept 1D vector as repeat");
  if (repeats->device.type == TOCHA_META)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "cannot repeat_interleave a meta tensor without output_size");
  tocha_tensor *counts = tocha_own_rows(cx, repeats, TOCHA_INT64);
  tocha_tensor *out = counts ? repeat_positions(cx, counts) : NULL;
  return tocha_as_dtype(cx, out, repeats->dtype);
}

tocha_tensor *tocha_op_repeat_interleave_tensor(tocha_context *cx, tocha_tensor *self,
                                                tocha_tensor *repeats, const int64_t *dim,
                                                const int64_t *output_size) {
  int64_t d = dim ? *dim : 0;
  if (!dim) self = tocha_flatten(cx, self, 0, -1);
  int64_t size = 0;
  if (!self) return NULL;
  if (repeats->ndim > 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "repeats must be 0-dim or 1-dim tensor");
  if (!tocha_size_of(cx, self, (int)d, &size) || !tocha_wrap_dim(cx, &d, self->ndim)) return NULL;
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
  if (index->dtype != TOCHA_INT32) index = tocha_as_dtype(cx, index, TOCHA_INT64);
  return index ? tocha_index_select(cx, self, d, index) : NULL;
}
