/* factories.c: tensors of one value: empty, zeros, ones, full and the like. */
#include "core/confine.h"
#include "creation/implementations.h"
#include "ops/creation/factory.h"
#include "tensor/copy.h"
#include "tensor/output.h"

/* --- shared by all factories ----------------------------------------------------------------- */

tocha_tensor *tocha_factory_new(tocha_context *cx, int ndim, const int64_t *sizes,
                                tocha_dtype dtype, tocha_dtype otherwise, tocha_device device) {
  return tocha_new(cx, ndim, sizes, dtype == TOCHA_NO_DTYPE ? otherwise : dtype,
                   device.type == TOCHA_NO_DEVICE ? cx->default_device : device);
}

tocha_tensor *tocha_factory_like(tocha_context *cx, const char *op, tocha_tensor *like,
                                 tocha_dtype dtype, tocha_device device,
                                 const char *memory_format) {
  tocha_named_format format = TOCHA_FORMAT_PRESERVE;
  int64_t strides[TOCHA_MAX_DIMS];
  if (dtype == TOCHA_NO_DTYPE) dtype = like->dtype;
  if (device.type == TOCHA_NO_DEVICE) device = like->device;
  if (memory_format && !tocha_read_memory_format(cx, op, memory_format, &format)) return NULL;
  if (format == TOCHA_FORMAT_PRESERVE) return tocha_new_copy_of(cx, like, dtype, device);
  if (format == TOCHA_FORMAT_CONTIGUOUS)
    return tocha_new(cx, like->ndim, like->sizes, dtype, device);
  if (!tocha_check_channels_last(cx, format, like->ndim, like->sizes, strides)) return NULL;
  return tocha_new_strided(cx, like->ndim, like->sizes, strides, dtype, device);
}

tocha_tensor *tocha_factory_finish(tocha_context *cx, tocha_tensor *t, bool requires_grad) {
  if (!t || !requires_grad) return t;
  if (!tocha_dtype_is_floating(t->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Only Tensors of floating point and complex dtype can require gradients");
  return tocha_set_requires_grad(cx, t, true);
}

/* Finishes a tensor whose elements nobody has written. */
static tocha_tensor *finish_empty(tocha_context *cx, tocha_tensor *t, bool requires_grad) {
  if (t) tocha_clear_unwritten(t);
  return tocha_factory_finish(cx, t, requires_grad);
}

static tocha_tensor *filled(tocha_context *cx, tocha_tensor *t, tocha_scalar value,
                            bool requires_grad) {
  if (!t || !tocha_check_fill(cx, t, value)) return NULL;
  return tocha_fill_data(cx, t, value) ? tocha_factory_finish(cx, t, requires_grad) : NULL;
}

static tocha_dtype dtype_of_number(const tocha_context *cx, tocha_scalar value) {
  if (value.kind == TOCHA_SCALAR_BOOL) return TOCHA_BOOL;
  return value.kind == TOCHA_SCALAR_INT ? TOCHA_INT64 : cx->default_dtype;
}

/* --- the factories ---------------------------------------------------------------------------- */

tocha_tensor *tocha_op_empty(tocha_context *cx, int size_count, const int64_t *size,
                             tocha_dtype dtype, tocha_device device, bool requires_grad,
                             const char *memory_format) {
  tocha_named_format format = TOCHA_FORMAT_CONTIGUOUS;
  int64_t strides[TOCHA_MAX_DIMS];
  if (memory_format && !tocha_read_memory_format(cx, "empty", memory_format, &format)) return NULL;
  if (format == TOCHA_FORMAT_PRESERVE)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unsupported memory format Preserve");
  tocha_tensor *t = tocha_factory_new(cx, size_count, size, dtype, cx->default_dtype, device);
  if (t && tocha_format_is_channels_last(format)) {
    if (!tocha_check_channels_last(cx, format, size_count, size, strides)) return NULL;
    t = tocha_alias(cx, t, size_count, size, strides, 0);
  }
  return finish_empty(cx, t, requires_grad);
}

tocha_tensor *tocha_op_zeros(tocha_context *cx, int size_count, const int64_t *size,
                             tocha_dtype dtype, tocha_device device, bool requires_grad) {
  for (int i = 0; i < size_count; i++)
    if (size[i] < 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "zeros: Dimension size must be non-negative.");
  tocha_tensor *t = tocha_factory_new(cx, size_count, size, dtype, cx->default_dtype, device);
  return filled(cx, t, tocha_int(0), requires_grad);
}

tocha_tensor *tocha_op_ones(tocha_context *cx, int size_count, const int64_t *size,
                            tocha_dtype dtype, tocha_device device, bool requires_grad) {
  tocha_tensor *t = tocha_factory_new(cx, size_count, size, dtype, cx->default_dtype, device);
  return filled(cx, t, tocha_int(1), requires_grad);
}

tocha_tensor *tocha_op_full(tocha_context *cx, int size_count, const int64_t *size,
                            tocha_scalar fill_value, tocha_dtype dtype, tocha_device device,
                            bool requires_grad) {
  tocha_tensor *t =
      tocha_factory_new(cx, size_count, size, dtype, dtype_of_number(cx, fill_value), device);
  return filled(cx, t, fill_value, requires_grad);
}

tocha_tensor *tocha_op_scalar_tensor(tocha_context *cx, tocha_scalar s, tocha_dtype dtype,
                                     tocha_device device, bool requires_grad) {
  tocha_tensor *t = tocha_factory_new(cx, 0, NULL, dtype, cx->default_dtype, device);
  return filled(cx, t, s, requires_grad);
}

tocha_tensor *tocha_op_empty_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                  tocha_device device, bool requires_grad,
                                  const char *memory_format) {
  return finish_empty(cx, tocha_factory_like(cx, "empty_like", self, dtype, device, memory_format),
                      requires_grad);
}

tocha_tensor *tocha_op_number_like(tocha_context *cx, tocha_tensor *self, tocha_dtype dtype,
                                   tocha_device device, bool requires_grad,
                                   const char *memory_format, const char *name, int value) {
  return filled(cx, tocha_factory_like(cx, name, self, dtype, device, memory_format),
                tocha_int(value), requires_grad);
}

tocha_tensor *tocha_op_full_like(tocha_context *cx, tocha_tensor *self, tocha_scalar fill_value,
                                 tocha_dtype dtype, tocha_device device, bool requires_grad,
                                 const char *memory_format) {
  return filled(cx, tocha_factory_like(cx, "full_like", self, dtype, device, memory_format),
                fill_value, requires_grad);
}

tocha_tensor *tocha_op_new_empty(tocha_context *cx, tocha_tensor *self, int size_count,
                                 const int64_t *size, tocha_dtype dtype, tocha_device device,
                                 bool requires_grad) {
  if (device.type == TOCHA_NO_DEVICE) device = self->device;
  tocha_tensor *t = tocha_factory_new(cx, size_count, size, dtype, self->dtype, device);
  return finish_empty(cx, t, requires_grad);
}

tocha_tensor *tocha_op_new_full(tocha_context *cx, tocha_tensor *self, int size_count,
                                const int64_t *size, tocha_scalar fill_value, tocha_dtype dtype,
                                tocha_device device, bool requires_grad) {
  tocha_tensor *t = tocha_op_new_empty(cx, self, size_count, size, dtype, device, false);
  return filled(cx, t, fill_value, requires_grad);
}

tocha_tensor *tocha_op_empty_strided(tocha_context *cx, int size_count, const int64_t *size,
                                     int stride_count, const int64_t *stride, tocha_dtype dtype,
                                     tocha_device device, bool requires_grad) {
  if (size_count != stride_count)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "dimensionality of sizes (%d) must match dimensionality of strides (%d)",
                      size_count, stride_count);
  for (int i = 0; i < size_count; i++)
    if (size[i] < 0) return tocha_new(cx, size_count, size, TOCHA_FLOAT32, tocha_cpu());
  int64_t span;
  if (!tocha_span(cx, size_count, size, stride, &span)) return NULL;
  tocha_tensor *memory = tocha_factory_new(cx, 1, &span, dtype, cx->default_dtype, device);
  if (!memory) return NULL;
  return finish_empty(cx, tocha_alias(cx, memory, size_count, size, stride, 0), requires_grad);
}

tocha_tensor *tocha_op_new_empty_strided(tocha_context *cx, tocha_tensor *self, int size_count,
                                         const int64_t *size, int stride_count,
                                         const int64_t *stride, tocha_dtype dtype,
                                         tocha_device device, bool requires_grad) {
  if (device.type == TOCHA_NO_DEVICE) device = self->device;
  if (dtype == TOCHA_NO_DTYPE) dtype = (tocha_dtype)self->dtype;
  return tocha_op_empty_strided(cx, size_count, size, stride_count, stride, dtype, device,
                                requires_grad);
}

tocha_tensor *tocha_op_empty_permuted(tocha_context *cx, int size_count, const int64_t *size,
                                      int physical_layout_count, const int64_t *physical_layout,
                                      tocha_dtype dtype, tocha_device device, bool requires_grad) {
  int64_t strides[TOCHA_MAX_DIMS], step = 1;
  uint64_t seen = 0;
  if (size_count != physical_layout_count || size_count > TOCHA_MAX_DIMS)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Number of dimensions in size does not match the length of the "
                      "physical_layout; i.e. len(size) = %d is not equal to len(physical_layout) = "
                      "%d",
                      size_count, physical_layout_count);
  for (int i = 0; i < size_count; i++) {
    int64_t d = physical_layout[i];
    if (d < 0 || d >= size_count)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "Dimension out of range (expected to be between 0 and %d, but got %lld at "
                        "index %d).  NB: negative dims not currently supported; file an issue if "
                        "you want it.",
                        size_count - 1, (long long)d, i);
    if (seen >> d & 1) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Duplicate dim not allowed");
    seen |= (uint64_t)1 << d;
  }
  for (int i = size_count - 1; i >= 0; i--) {
    int64_t d = physical_layout[i];
    strides[d] = step;
    step = tocha_wrapping_product(step, size[d] > 1 ? size[d] : 1);
  }
  for (int i = 0; i < size_count; i++)
    if (strides[i] < 0) strides[i] = 1; /* such a size is refused below */
  return tocha_op_empty_strided(cx, size_count, size, size_count, strides, dtype, device,
                                requires_grad);
}
