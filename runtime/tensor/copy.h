/* copy.h: fills and copies tensors, and returns a tensor in another dtype, device or layout. No
 * function of this file records anything for gradients. */
#ifndef TOCHA_COPY_H
#define TOCHA_COPY_H

#include "core/internal.h"
#include "tensor/geometry.h"

/* --- copies ---------------------------------------------------------------------------------- */

/* Copies the values of `source` to `target`, converting them. The sizes must be equal after
 * broadcasting; dtypes, devices and strides may differ. Does not check whether the two share
 * memory. Returns false if interrupted. */
bool tocha_copy_data(tocha_context *cx, tocha_tensor *target, tocha_tensor *source);
/* Does the same. Unless `blocking`, a copy between host and device may still be in flight on
 * return. */
bool tocha_copy_values(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking);

typedef enum tocha_memory_format {
  TOCHA_PRESERVE_FORMAT,  /* any layout; a new tensor keeps the order of the source's dimensions */
  TOCHA_CONTIGUOUS_FORMAT /* row-major */
} tocha_memory_format;

/* Returns t with this dtype (TOCHA_NO_DTYPE: its own), on this device (TOCHA_NO_DEVICE: its own)
 * and in this format: t itself if all three already agree. Returns NULL if t is NULL. */
tocha_tensor *tocha_as(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype, tocha_device device,
                       tocha_memory_format format);
/* Does the same, but always in new memory. */
tocha_tensor *tocha_copy_as(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype,
                            tocha_device device, tocha_memory_format format);
/* Returns the device that means "t's own" to tocha_as. */
static inline tocha_device tocha_its_device(void) { return (tocha_device){TOCHA_NO_DEVICE, -1}; }
/* Returns t converted to dtype, in any layout. As a rule that is t, so it is found without a call. */
static inline tocha_tensor *tocha_as_dtype(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype) {
  if (t && t->dtype == dtype) return t;
  return tocha_as(cx, t, dtype, tocha_its_device(), TOCHA_PRESERVE_FORMAT);
}
/* Returns t converted to dtype, row-major. */
static inline tocha_tensor *tocha_as_rows(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype) {
  if (t && t->dtype == dtype && t->flags & TOCHA_FLAG_CONTIGUOUS) return t;
  return tocha_as(cx, t, dtype, tocha_its_device(), TOCHA_CONTIGUOUS_FORMAT);
}
/* Does the same, in new memory if t is on the CPU, so that no other thread writes to the values
 * between their check and their use. A GPU's kernels check each value as they use it. */
tocha_tensor *tocha_own_rows(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype);
/* Returns t on the device. */
tocha_tensor *tocha_as_device(tocha_context *cx, tocha_tensor *t, tocha_device device);
/* Returns a row-major copy of t. */
tocha_tensor *tocha_copy_rows(tocha_context *cx, tocha_tensor *t);

/* --- fills ----------------------------------------------------------------------------------- */

/* Writes the value, converted, to every element of t, without checks. Returns false if
 * interrupted. */
bool tocha_fill_data(tocha_context *cx, tocha_tensor *t, tocha_scalar value);
/* Returns true if `value` may be written into all elements of t; else fails with PyTorch's message. PyTorch does not check if t
 * is one 16-bit element on the CPU, which then becomes infinite. */
bool tocha_check_fill(tocha_context *cx, const tocha_tensor *t, tocha_scalar value);

/* --- what kernels need ----------------------------------------------------------------------- */

/* Returns true if t, (N, C, H, W) or (N, C, D, H, W), is laid out with its channels innermost
 * and is not also row-major. */
bool tocha_is_channels_last(const tocha_tensor *t);
/* Creates a tensor without defined values, of at least 3 dimensions, with its channels innermost. */
tocha_tensor *tocha_new_channels_last(tocha_context *cx, int ndim, const int64_t *sizes,
                                      tocha_dtype dtype, tocha_device device);
/* Returns t converted to dtype, with its channels innermost. */
tocha_tensor *tocha_as_channels_last(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype);
/* Returns `out`, an operator's result that is not recorded yet: as channels last if `like` is. */
tocha_tensor *tocha_in_format_of(tocha_context *cx, tocha_tensor *out, const tocha_tensor *like);
/* Returns the dtype in which a device's kernels take values of dtype: itself, or float32 for float16
 * and bfloat16 on the CPU, whose loops do not have these types. */
tocha_dtype tocha_kernel_dtype(tocha_device device, tocha_dtype dtype);
/* Returns true if there is something to compute: t has elements, and memory for them (meta
 * tensors do not). */
static inline bool tocha_has_elements(const tocha_tensor *t) {
  return t->numel != 0 && t->device.type != TOCHA_META;
}
/* Returns true if t has values to read. Fails with PyTorch's message about operator `name` if t
 * is on the meta device. */
bool tocha_check_values(tocha_context *cx, const tocha_tensor *t, const char *name);

/* Writes a tensor of two or more dimensions to `buffer` as C++ streams print it, cut to `size`
 * bytes. Returns `buffer`, or NULL if it fails. Defined in stream_text.c. */
const char *tocha_stream_text(tocha_context *cx, tocha_tensor *t, char *buffer, size_t size);

#endif
