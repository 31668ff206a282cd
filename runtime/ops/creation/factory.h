/* factory.h: the arguments that every factory of tensors has: dtype, device and requires_grad. */
#ifndef TOCHA_FACTORY_H
#define TOCHA_FACTORY_H

#include "core/tensor.h"

/* Uninitialized, in dtype (TOCHA_NO_DTYPE: in `otherwise`) on the device (TOCHA_NO_DEVICE: the default
 * one). */
tocha_tensor *tocha_factory_new(tocha_context *cx, int ndim, const int64_t *sizes,
                                tocha_dtype dtype, tocha_dtype otherwise, tocha_device device);
/* The same with the sizes of `like` and its order of dimensions; what is not given is like's. */
tocha_tensor *tocha_factory_like(tocha_context *cx, tocha_tensor *like, tocha_dtype dtype,
                                 tocha_device device);
/* t as the factory returns it. NULL for NULL, and with PyTorch's message where t's dtype cannot require
 * gradients. */
tocha_tensor *tocha_factory_finish(tocha_context *cx, tocha_tensor *t, bool requires_grad);

#endif
