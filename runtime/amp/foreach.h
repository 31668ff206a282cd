/* foreach.h: operations on lists of tensors of one device in few launches: scaling, and the norm.
 * The host does not wait. */
#ifndef TOCHA_FOREACH_H
#define TOCHA_FOREACH_H

#include "device/devices.h"

/* Returns true if the device has kernels for the norm of this list: all tensors are on the first
 * one's device, of a floating dtype, and need no recorded gradient. */
bool tocha_foreach_has_norm(tocha_context *cx, int count, tocha_tensor *const *tensors);

/* Multiplies every tensor in place by factor, a floating-point number on their device. found: NULL,
 * or a float32 on their device that is set to 1 if an element was not finite before. */
bool tocha_foreach_scale(tocha_context *cx, int count, tocha_tensor *const *tensors,
                         tocha_tensor *factor, const tocha_tensor *found);

/* Returns the p-norm of all tensors (floating point) as one vector: a 0-dim tensor of their common
 * dtype. Returns NULL on failure. */
tocha_tensor *tocha_foreach_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                 double order);

#endif
