/* unscale_device.h: what is done to many gradients of one device at once: scaling, their norm
 * (cuda/amp.cu does it). The host waits for nothing. */
#ifndef TOCHA_UNSCALE_DEVICE_H
#define TOCHA_UNSCALE_DEVICE_H

#include "device/devices.h"

/* Whether all tensors are on the device of the first, which is not the CPU. */
bool tocha_on_one_device(int count, tocha_tensor *const *tensors);

/* Every tensor times factor (one floating number on their device) in place; found: NULL, or a
 * float32 that becomes 1 where an element was not finite before. */
bool tocha_scale_list(tocha_context *cx, int count, tocha_tensor *const *tensors,
                      tocha_tensor *factor, const tocha_tensor *found);

/* The p-norm of all tensors (floating) as one vector, a 0-dim tensor of their common dtype. NULL on
 * failure. */
tocha_tensor *tocha_norm_of_list(tocha_context *cx, int count, tocha_tensor *const *tensors,
                                 double order);

/* GradScaler's update of its scale (float32) and growth tracker (int32). */
bool tocha_update_scale_on_device(tocha_context *cx, tocha_tensor *scale, tocha_tensor *tracker,
                                  const tocha_tensor *found, double growth, double backoff,
                                  int64_t interval);

#endif
