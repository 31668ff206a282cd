/* copy.c: copies values between tensors of any dtypes, devices and strides, and returns a tensor
 * in another dtype, device or layout. */
#include "tensor/copy.h"

#include "device/devices.h"
#include "tensor/iterator.h"
#include "tensor/kernels.h"
#include "tensor/output.h"
#include "tensor/strided.h"
#include "tensor/transfer.h"

static bool launch_copy(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  (void)user;
  return stream->kernels->tensor->copy(stream, layout);
}

bool tocha_copy_values(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking) {
  if (target->device.type == TOCHA_META) return true;
  if (source->device.type == TOCHA_META) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "Cannot copy out of meta tensor; no data!");
    return false;
  }
  if (target->numel == 0) return true;
  if (!tocha_device_equal(target->device, source->device))
    return tocha_copy_across(cx, target, source, blocking);
  tocha_tensor *both[2] = {target, source};
  return tocha_launch_strided(cx, target->ndim, target->sizes, 2, both, launch_copy, NULL);
}

bool tocha_copy_data(tocha_context *cx, tocha_tensor *target, tocha_tensor *source) {
  return tocha_copy_values(cx, target, source, true);
}

/* --- a tensor in another dtype, device or layout --------------------------------------------- */

tocha_tensor *tocha_copy_as(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype,
                            tocha_device device, tocha_memory_format format) {
  if (!t) return NULL;
  if (dtype == TOCHA_NO_DTYPE) dtype = t->dtype;
  if (device.type == TOCHA_NO_DEVICE) device = t->device;
  tocha_tensor *copy = format == TOCHA_CONTIGUOUS_FORMAT
                           ? tocha_new(cx, t->ndim, t->sizes, dtype, device)
                           : tocha_new_copy_of(cx, t, dtype, device);
  return copy && tocha_copy_data(cx, copy, t) ? copy : NULL;
}

tocha_tensor *tocha_as(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype, tocha_device device,
                       tocha_memory_format format) {
  if (t && (dtype == TOCHA_NO_DTYPE || dtype == t->dtype) &&
      (device.type == TOCHA_NO_DEVICE || tocha_device_equal(device, t->device)) &&
      (format == TOCHA_PRESERVE_FORMAT || tocha_is_contiguous(t)))
    return t;
  return tocha_copy_as(cx, t, dtype, device, format);
}

tocha_tensor *tocha_own_rows(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype) {
  if (!t || t->device.type != TOCHA_CPU) return tocha_as_rows(cx, t, dtype);
  return tocha_copy_as(cx, t, dtype, tocha_its_device(), TOCHA_CONTIGUOUS_FORMAT);
}

tocha_tensor *tocha_as_device(tocha_context *cx, tocha_tensor *t, tocha_device device) {
  return tocha_as(cx, t, TOCHA_NO_DTYPE, device, TOCHA_PRESERVE_FORMAT);
}

tocha_tensor *tocha_copy_rows(tocha_context *cx, tocha_tensor *t) {
  return tocha_copy_as(cx, t, TOCHA_NO_DTYPE, tocha_its_device(), TOCHA_CONTIGUOUS_FORMAT);
}

tocha_dtype tocha_kernel_dtype(tocha_device device, tocha_dtype dtype) {
  bool half = dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16;
  return half && device.type != TOCHA_CUDA ? TOCHA_FLOAT32 : dtype;
}

/* --- channels last --------------------------------------------------------------------------- */

bool tocha_is_channels_last(const tocha_tensor *t) {
  if (t->ndim < 4 || tocha_is_contiguous(t)) return false;
  int64_t expected = 1;
  for (int i = 0; i < t->ndim; i++) {
    int d = i == 0 ? 1 : i == t->ndim - 1 ? 0 : t->ndim - i;
    if (t->sizes[d] != 1 && t->strides[d] != expected) return false;
    expected *= t->sizes[d];
  }
  return true;
}

tocha_tensor *tocha_new_channels_last(tocha_context *cx, int ndim, const int64_t *sizes,
                                      tocha_dtype dtype, tocha_device device) {
  int64_t strides[TOCHA_MAX_DIMS], step = 1;
  for (int i = 0; i < ndim; i++) {
    int d = i == 0 ? 1 : i == ndim - 1 ? 0 : ndim - i;
    strides[d] = step;
    step *= sizes[d] > 1 ? sizes[d] : 1;
  }
  return tocha_new_strided(cx, ndim, sizes, strides, dtype, device);
}

tocha_tensor *tocha_as_channels_last(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype) {
  if (!t || (t->dtype == dtype && tocha_is_channels_last(t))) return t;
  tocha_tensor *copy = tocha_new_channels_last(cx, t->ndim, t->sizes, dtype, t->device);
  return copy && tocha_copy_data(cx, copy, t) ? copy : NULL;
}

tocha_tensor *tocha_in_format_of(tocha_context *cx, tocha_tensor *out, const tocha_tensor *like) {
  if (!out || !tocha_is_channels_last(like) || out->ndim != like->ndim) return out;
  return tocha_as_channels_last(cx, out, (tocha_dtype)out->dtype);
}
