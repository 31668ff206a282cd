/* weights.h: the weights that PyTorch's CPU uses for the elements of an image (weights.c). */
#ifndef TOCHA_RESAMPLING_WEIGHTS_H
#define TOCHA_RESAMPLING_WEIGHTS_H

#include "core/internal.h"

/* Returns true if the image t, resampled to `size`, is weighed by corners (tocha_blend_args). */
bool tocha_resamples_by_corners(const tocha_tensor *t, const int64_t *size, const char *mode);

/* Returns the 16-bit dtype that weights of t are rounded to, or TOCHA_NO_DTYPE. */
int tocha_weights_step_dtype(const tocha_context *cx, const tocha_tensor *t, bool corners);

#endif
