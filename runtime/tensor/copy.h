/* copy.h: filling and copying tensors, and a tensor in another dtype, device or layout. Nothing here is
 * recorded for gradients. */
#ifndef TOCHA_COPY_H
#define TOCHA_COPY_H

#include "core/internal.h"
#include "tensor/geometry.h"

/* --- copies ---------------------------------------------------------------------------------- */

/* source's values into target (same sizes after broadcasting; any dtypes, devices and strides),
 * converting; no checks of aliasing. false when interrupted. */
bool tocha_copy_data(tocha_context *cx, tocha_tensor *target, tocha_tensor *source);
/* The same; not blocking: a copy between host and device may still be under way on return. */
bool tocha_copy_values(tocha_context *cx, tocha_tensor *target, tocha_tensor *source,
                       bool blocking);

typedef enum tocha_memory_format {
  TOCHA_PRESERVE_FORMAT,  /* any layout; of a new tensor: the order of the source's dimensions */
  TOCHA_CONTIGUOUS_FORMAT /* row-major */
} tocha_memory_format;

/* t in dtype (TOCHA_NO_DTYPE: its own) on the device (TOCHA_NO_DEVICE: its own) and in the format: t
 * itself where it is all of that. NULL for NULL. */
tocha_tensor *tocha_as(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype, tocha_device device,
                       tocha_memory_format format);
/* The same in new memory in any case. */
tocha_tensor *tocha_copy_as(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype,
                            tocha_device device, tocha_memory_format format);
/* t's own device, for tocha_as. */
static inline tocha_device tocha_its_device(void) { return (tocha_device){TOCHA_NO_DEVICE, -1}; }
/* t in dtype, in any layout. */
tocha_tensor *tocha_as_dtype(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype);
/* t in dtype, row-major. */
tocha_tensor *tocha_as_rows(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype);
/* Does the same, in memory of its own if t is on the CPU, so that no other thread writes to the values between their check and
 * their use. A GPU's kernels check each value as they use it. */
tocha_tensor *tocha_own_rows(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype);
/* t on the device. */
tocha_tensor *tocha_as_device(tocha_context *cx, tocha_tensor *t, tocha_device device);
/* A copy of t, row-major. */
tocha_tensor *tocha_copy_rows(tocha_context *cx, tocha_tensor *t);

/* --- fills ----------------------------------------------------------------------------------- */

/* value, converted, into every element of t. No checks. false when interrupted. */
bool tocha_fill_data(tocha_context *cx, tocha_tensor *t, tocha_scalar value);
/* Returns true if `value` may be written into all elements of t; else fails with PyTorch's message. PyTorch does not check if t
 * is one 16-bit element on the CPU, which then becomes infinite. */
bool tocha_check_fill(tocha_context *cx, const tocha_tensor *t, tocha_scalar value);

/* --- what kernels need ----------------------------------------------------------------------- */

/* The dtype in which the kernels of a device take values of dtype: itself, or float32 for float16 and
 * bfloat16 on the CPU, whose loops have no such types. */
/* Whether (N, C, H, W) or (N, C, D, H, W) is laid out with its channels innermost, and not also row-major. */
bool tocha_is_channels_last(const tocha_tensor *t);
/* An operator's result, not recorded yet, as channels last where `like` is. */
tocha_tensor *tocha_in_format_of(tocha_context *cx, tocha_tensor *out, const tocha_tensor *like);
tocha_dtype tocha_kernel_dtype(tocha_device device, tocha_dtype dtype);
/* Whether there is anything to compute: elements, and memory for them (not on the meta device). */
static inline bool tocha_has_elements(const tocha_tensor *t) {
  return t->numel != 0 && t->device.type != TOCHA_META;
}
/* Whether t has values to look at; on the meta device false with PyTorch's message about `name`. */
bool tocha_check_values(tocha_context *cx, const tocha_tensor *t, const char *name);

/* stream_text.c: a tensor of two or more dimensions as C++ streams print it, as much as there is room for; NULL on failure. */
const char *tocha_stream_text(tocha_context *cx, tocha_tensor *t, char *room, size_t size);

#endif
