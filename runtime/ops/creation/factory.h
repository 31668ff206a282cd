/* factory.h: the arguments that every factory of tensors has: dtype, device and requires_grad. */
#ifndef TOCHA_FACTORY_H
#define TOCHA_FACTORY_H

#include "core/tensor.h"

/* Uninitialized, in dtype (TOCHA_NO_DTYPE: in `otherwise`) on the device (TOCHA_NO_DEVICE: the default
 * one). */
tocha_tensor *tocha_factory_new(tocha_context *cx, int ndim, const int64_t *sizes,
                                tocha_dtype dtype, tocha_dtype otherwise, tocha_device device);
/* The same with the sizes of `like`; what is not given is like's, and so is the order of dimensions unless memory_format
 * (NULL: not given) says another. op: for errors. */
tocha_tensor *tocha_factory_like(tocha_context *cx, const char *op, tocha_tensor *like,
                                 tocha_dtype dtype, tocha_device device, const char *memory_format);
/* A memory format from its name; NULL is PRESERVE. */
typedef enum tocha_named_format {
  TOCHA_FORMAT_PRESERVE,
  TOCHA_FORMAT_CONTIGUOUS,
  TOCHA_FORMAT_CHANNELS_LAST
} tocha_named_format;
bool tocha_read_memory_format(tocha_context *cx, const char *op, const char *text,
                              tocha_named_format *format);
/* Strides of (N, C, H, W) with the channels innermost. */
bool tocha_check_channels_last(tocha_context *cx, int ndim, const int64_t *sizes, int64_t *strides);
/* t as the factory returns it. NULL for NULL, and with an error if t's dtype cannot require
 * gradients. */
tocha_tensor *tocha_factory_finish(tocha_context *cx, tocha_tensor *t, bool requires_grad);

#endif
