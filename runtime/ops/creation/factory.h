/* factory.h: the arguments that all factories of tensors share: dtype, device and requires_grad (factories.c). */
#ifndef TOCHA_FACTORY_H
#define TOCHA_FACTORY_H

#include "core/tensor.h"

/* Returns an uninitialized tensor in dtype (TOCHA_NO_DTYPE: in `otherwise`) on the device (TOCHA_NO_DEVICE: the default one). */
tocha_tensor *tocha_factory_new(tocha_context *cx, int ndim, const int64_t *sizes,
                                tocha_dtype dtype, tocha_dtype otherwise, tocha_device device);
/* Returns an uninitialized tensor with the sizes of `like`. The dtype and the device are like's unless given, and so is the
 * order of dimensions in memory unless memory_format (NULL: not given) names another. op: the operator's name in errors. */
tocha_tensor *tocha_factory_like(tocha_context *cx, const char *op, tocha_tensor *like,
                                 tocha_dtype dtype, tocha_device device, const char *memory_format);
/* Memory formats by name; a NULL name is PRESERVE. */
typedef enum tocha_named_format {
  TOCHA_FORMAT_PRESERVE,
  TOCHA_FORMAT_CONTIGUOUS,
  TOCHA_FORMAT_CHANNELS_LAST,   /* of (N, C, H, W) */
  TOCHA_FORMAT_CHANNELS_LAST_3D /* of (N, C, D, H, W) */
} tocha_named_format;
bool tocha_read_memory_format(tocha_context *cx, const char *op, const char *text,
                              tocha_named_format *format);
/* Returns true for a format with the channels innermost. */
static inline bool tocha_format_is_channels_last(tocha_named_format format) {
  return format >= TOCHA_FORMAT_CHANNELS_LAST;
}
/* Writes the strides of sizes in such a format. Fails if it is for another number of dimensions. */
bool tocha_check_channels_last(tocha_context *cx, tocha_named_format format, int ndim,
                               const int64_t *sizes, int64_t *strides);
/* Returns t as the factory returns it, with requires_grad. Returns NULL for NULL, and fails if t's dtype cannot require
 * gradients. */
tocha_tensor *tocha_factory_finish(tocha_context *cx, tocha_tensor *t, bool requires_grad);

#endif
