/* nonzero.c: nonzero, the coordinates of nonzero elements, and masked_select, the values at nonzero flags. */
#include "ops/indexing/nonzero.h"

#include "device/devices.h"
#include "indexing/implementations.h"
#include "ops/indexing/kernels.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/transfer.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/masked_scatter.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/zeros.h"

bool tocha_count_flags(tocha_context *cx, tocha_tensor *flags, tocha_tensor **tiles,
                       int64_t *count) {
  int64_t n = flags->numel, size = (n + TOCHA_NONZERO_TILE - 1) / TOCHA_NONZERO_TILE + 1;
  *count = 0;
  if (n == 0) return true;
  *tiles = tocha_new(cx, 1, &size, TOCHA_INT64, flags->device);
  tocha_stream *s = *tiles ? tocha_stream_of(cx, flags->device) : NULL;
  if (!s) return false;
  tocha_count_nonzero_args args = {.flags = tocha_bytes(flags),
                                   .n = n,
                                   .tiles = (int64_t *)(void *)tocha_bytes(*tiles),
                                   .dtype = flags->dtype};
  if (!tocha_launched(cx, s->kernels->indexing->count_nonzero(s, &args))) return false;
  return tocha_read_bytes(cx, flags->device, args.tiles + size - 1, count, sizeof *count);
}

static bool write_nonzero(tocha_context *cx, tocha_tensor *flags, tocha_write_nonzero_args *args,
                          tocha_tensor *tiles) {
  tocha_stream *s = tocha_stream_of(cx, flags->device);
  args->flags = tocha_bytes(flags);
  args->n = flags->numel;
  args->dtype = flags->dtype;
  args->tiles = (const int64_t *)(void *)tocha_bytes(tiles);
  return s && tocha_launched(cx, s->kernels->indexing->write_nonzero(s, args));
}

/* --- nonzero --------------------------------------------------------------------------------- */

tocha_tensor *tocha_coordinates(tocha_context *cx, tocha_tensor *t) {
  if (t->device.type == TOCHA_META)
    return tocha_fail(
        cx, TOCHA_NOT_IMPLEMENTED_ERROR,
        "The register_meta function for torch.nonzero() raises unimplemented by default, as "
        "a correct data-independent implementation does not exist. This implementation "
        "returns a fake value, assuming all elements of the tensor are non-zero. To enable "
        "this registration, please set "
        "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True.");
  tocha_tensor *flags = tocha_as_rows(cx, t, TOCHA_NO_DTYPE), *tiles;
  int64_t count;
  if (!flags || !tocha_count_flags(cx, flags, &tiles, &count)) return NULL;
  tocha_tensor *out = tocha_new(cx, 2, (const int64_t[]){t->ndim, count}, TOCHA_INT64, t->device);
  if (!out || out->numel == 0) return out;
  tocha_write_nonzero_args args = {.coordinates = (int64_t *)(void *)tocha_bytes(out),
                                   .count = count,
                                   .ndim = t->ndim,
                                   .sizes = t->sizes};
  return write_nonzero(cx, flags, &args, tiles) ? out : NULL;
}

tocha_tensor *tocha_op_nonzero(tocha_context *cx, tocha_tensor *self) {
  if (self->ndim == 0) {
    tocha_scalar value = tocha_int(1);
    if (self->device.type != TOCHA_META && !tocha_item(cx, self, &value)) return NULL;
    bool zero = tocha_scalar_real(value) == 0;
    const int64_t sizes[2] = {!zero, 0}, strides[2] = {1, !zero};
    return tocha_new_strided(cx, 2, sizes, strides, TOCHA_INT64, self->device);
  }
  tocha_tensor *t = tocha_coordinates(cx, self);
  if (!t) return NULL;
  const int64_t sizes[2] = {t->sizes[1], self->ndim}, strides[2] = {1, t->sizes[1]};
  return tocha_alias(cx, t, 2, sizes, strides, 0);
}

bool tocha_op_nonzero_tuple(tocha_context *cx, tocha_tensor *self, bool as_tuple,
                            tocha_results *results) {
  if (!as_tuple) {
    if (!tocha_results_list(cx, results, 1)) return false;
    results->single = true;
    return (results->tensors[0] = tocha_op_nonzero(cx, self)) != NULL;
  }
  if (self->ndim == 0) self = tocha_unsqueeze(cx, self, 0);
  tocha_tensor *t = self ? tocha_coordinates(cx, self) : NULL;
  if (!t || !tocha_results_list(cx, results, self->ndim)) return false;
  int64_t length = t->sizes[1], one = 1;
  for (int d = 0; d < self->ndim; d++) {
    results->tensors[d] = tocha_alias(cx, t, 1, &length, &one, d * length);
    if (!results->tensors[d]) return false;
  }
  return true;
}

tocha_tensor *tocha_op_nonzero_into(tocha_context *cx, tocha_tensor *self, bool as_tuple) {
  if (!as_tuple) return tocha_op_nonzero(cx, self);
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "nonzero does not support the out kwarg when as_tuple is True");
}

tocha_tensor *tocha_op_nonzero_static(tocha_context *cx, tocha_tensor *self, int64_t size,
                                      int64_t fill_value) {
  if (size < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "nonzero_static: 'size' must be an non-negative integer");
  const int64_t sizes[2] = {size, self->ndim};
  tocha_tensor *out = tocha_new(cx, 2, sizes, TOCHA_INT64, self->device);
  if (!out || !tocha_has_elements(out)) return out;
  tocha_tensor *found = tocha_op_nonzero(cx, self);
  if (!found || !tocha_fill_data(cx, out, tocha_int(fill_value))) return NULL;
  const int64_t kept[2] = {found->sizes[0] < size ? found->sizes[0] : size, self->ndim};
  tocha_tensor *to = tocha_alias(cx, out, 2, kept, out->strides, out->offset);
  tocha_tensor *from = tocha_alias(cx, found, 2, kept, found->strides, found->offset);
  return to && from && tocha_copy_data(cx, to, from) ? out : NULL;
}

/* --- masked_select --------------------------------------------------------------------------- */

/* Expands self and mask to their common shape, row-major. */
static bool broadcast_pair(tocha_context *cx, tocha_tensor **self, tocha_tensor **mask) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {*mask, *self};
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return false;
  *self = tocha_expand(cx, *self, ndim, sizes);
  *mask = tocha_expand(cx, *mask, ndim, sizes);
  *self = tocha_as_rows(cx, *self, TOCHA_NO_DTYPE);
  *mask = tocha_as_rows(cx, *mask, TOCHA_NO_DTYPE);
  return *self && *mask;
}

tocha_tensor *tocha_op_masked_select(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask) {
  tocha_tensor *tiles;
  int64_t count;
  if (mask->dtype != TOCHA_BOOL && mask->dtype != TOCHA_UINT8)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "masked_select: expected BoolTensor for mask");
  if (!tocha_check_values(cx, self, "masked_select")) return NULL;
  if (!broadcast_pair(cx, &self, &mask) || !tocha_count_flags(cx, mask, &tiles, &count))
    return NULL;
  tocha_tensor *out = tocha_new(cx, 1, &count, self->dtype, self->device);
  if (!out || count == 0) return out;
  tocha_write_nonzero_args args = {.source = tocha_bytes(self),
                                   .out = tocha_bytes(out),
                                   .count = count,
                                   .item = (int32_t)tocha_dtype_size(self->dtype)};
  return write_nonzero(cx, mask, &args, tiles) ? out : NULL;
}

/* Computes the gradient of masked_select in the common shape of self and mask. The engine sums it to self's shape. */
bool tocha_masked_select_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_shape s = tocha_edge_shape(f, 0);
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *mask = f->args[1].tensor;
  if (!f->grads[0]) return true;
  int ndim = s.ndim > mask->ndim ? s.ndim : mask->ndim;
  if (ndim == 0) ndim = 1;
  for (int i = 0; i < ndim; i++) {
    int own = i - (ndim - s.ndim), other = i - (ndim - mask->ndim);
    sizes[i] = own >= 0 && s.sizes[own] != 1 ? s.sizes[own] : other >= 0 ? mask->sizes[other] : 1;
  }
  tocha_tensor *zeros =
      tocha_zeros_full(cx, ndim, sizes, f->grads[0]->dtype, f->grads[0]->device, false);
  f->out[0] = tocha_masked_scatter(cx, zeros, mask, f->grads[0]);
  if (f->out[0] && s.ndim == 0) f->out[0] = tocha_reshape(cx, f->out[0], ndim, sizes);
  return f->out[0] != NULL;
}
