/* resize.h: all dimensions of images resampled by one kernel, on devices that have it (resize.c). */
#ifndef TOCHA_RESIZE_H
#define TOCHA_RESIZE_H

#include "ops/resampling/taps.h"

/* Returns true if the device resamples images t of sizes `in` (N, C, ...) to sizes `out` at once. */
bool tocha_resizes_at_once(tocha_context *cx, const tocha_tensor *t, int ndim, const int64_t *in,
                           const int64_t *out);

/* Returns t resampled, a rule for each dimension of space, in t's memory format. */
tocha_tensor *tocha_resized_at_once(tocha_context *cx, tocha_tensor *t,
                                    const tocha_tap_rule *rules);

/* Returns the gradient of images of sizes `in` from that of the resampled ones. */
tocha_tensor *tocha_resized_at_once_backward(tocha_context *cx, tocha_tensor *grad,
                                             const tocha_tap_rule *rules);

#endif
