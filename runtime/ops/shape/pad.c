/* pad.c: pads tensors with a constant. */
#include <string.h>

#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/constant_pad_nd.h"

static bool check_length(tocha_context *cx, const tocha_tensor *self, int count) {
  if (count % 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Length of pad must be even but instead it equals %d",
               count);
  else if (count / 2 > self->ndim)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Length of pad should be no more than twice the number of dimensions of the input. "
               "Pad length is %dwhile the input has %ddimensions.",
               count, self->ndim);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_constant_pad_nd(tocha_context *cx, tocha_tensor *self, int count,
                                       const int64_t *pad, tocha_scalar value) {
  int64_t sizes[TOCHA_MAX_DIMS], inner[TOCHA_MAX_DIMS], to = 0, from = self->offset;
  if (!check_length(cx, self, count)) return NULL;
  memcpy(sizes, self->sizes, (size_t)self->ndim * sizeof *sizes);
  memcpy(inner, sizes, (size_t)self->ndim * sizeof *sizes);
  for (int d = self->ndim - 1; d >= self->ndim - count / 2; d--) {
    const int64_t *sides = pad + 2 * (self->ndim - 1 - d);
    int64_t left = sizes[d] + (sides[0] < 0 ? sides[0] : 0); /* negative padding is cut first */
    if (left < 0 || (sides[1] < 0 && left + sides[1] < 0))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "narrow(): length must be non-negative.");
    inner[d] = left + (sides[1] < 0 ? sides[1] : 0);
    if (__builtin_add_overflow(sizes[d], sides[0], &sizes[d]) ||
        __builtin_add_overflow(sizes[d], sides[1], &sizes[d]))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "The input size %lld, plus negative padding %lld and %lld resulted in a "
                        "negative output size, which is invalid. Check dimension %d of your input.",
                        (long long)self->sizes[d], (long long)sides[0], (long long)sides[1], d);
  }
  tocha_tensor *out = tocha_new(cx, self->ndim, sizes, (tocha_dtype)self->dtype, self->device);
  bool grows = false;
  for (int i = 0; i < count; i++) grows = grows || pad[i] > 0;
  if (!out || (grows && !tocha_check_fill(cx, out, value)) || !tocha_fill_data(cx, out, value))
    return NULL;
  for (int d = self->ndim - 1; d >= self->ndim - count / 2; d--) {
    int64_t before = pad[2 * (self->ndim - 1 - d)];
    if (inner[d] == 0) return out;
    to += before > 0 ? before * out->strides[d] : 0;
    from -= before < 0 ? before * self->strides[d] : 0;
  }
  tocha_tensor *source = tocha_alias(cx, self, self->ndim, inner, self->strides, from);
  tocha_tensor *target = tocha_alias(cx, out, self->ndim, inner, out->strides, to);
  if (!source || !target || !tocha_copy_data(cx, target, source)) return NULL;
  return tocha_in_format_of(cx, out, self);
}

tocha_tensor *tocha_op__constant_pad_backward(tocha_context *cx, tocha_tensor *grad_output,
                                              int count, const int64_t *pad) {
  int64_t less[2 * TOCHA_MAX_DIMS];
  for (int i = 0; i < count; i++) less[i] = -pad[i];
  return tocha_constant_pad_nd(cx, grad_output, count, less, tocha_int(0));
}
