/* foreach.h: operations on lists of tensors of one device in few launches: scaling, and their norm. The host
 * does not wait. */
#ifndef TOCHA_FOREACH_H
#define TOCHA_FOREACH_H

#include "device/devices.h"

/* Whether the device has kernels that make the norm of this list: all on the first one's device, of a
 * floating dtype, and without a gradient to record. */
bool tocha_foreach_has_norm(tocha_context *cx, int count, tocha_tensor *const *tensors);

/* Every tensor times factor (one floating number on their device) in place; found: NULL, or a float32 on
 * their device that becomes 1 where an element was not finite before. */
bool tocha_foreach_scale(tocha_context *cx, int count, tocha_tensor *const *tensors,
                         tocha_tensor *factor, const tocha_tensor *found);

/* The p-norm of all tensors (floating) as one vector, a 0-dim tensor of their common dtype. NULL on
 * failure. */
tocha_tensor *tocha_foreach_norm(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                 double order);

#endif
