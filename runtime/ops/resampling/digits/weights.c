/* weights.c: the weights of PyTorch's CPU for images (weights.h). */
#include "ops/resampling/digits/weights.h"

#include <string.h>

#include "device/devices.h"
#include "dispatch/rounding.h"
#include "tensor/copy.h"

/* PyTorch weighs by corners if the result is small, the image has three channels, or it has more
 * channels and they are last. */
bool tocha_resamples_by_corners(const tocha_tensor *t, const int64_t *size, const char *mode) {
  bool many = t->ndim == 4 && tocha_is_channels_last(t) && t->sizes[1] > 3;
  return t->ndim == 4 && strcmp(mode, "linear") == 0 && t->dtype != TOCHA_UINT8 &&
         !tocha_is_on_device(t) && (size[0] <= 128 - size[1] || t->sizes[1] == 3 || many);
}

int tocha_weights_step_dtype(const tocha_context *cx, const tocha_tensor *t, bool corners) {
  return !corners && tocha_rounds_steps(cx, t->dtype, t->device) ? (int)t->dtype : TOCHA_NO_DTYPE;
}
