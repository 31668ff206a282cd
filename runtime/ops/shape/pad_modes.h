/* pad_modes.h: where the elements of a padded tensor come from (pad_modes.c). */
#ifndef TOCHA_PAD_MODES_H
#define TOCHA_PAD_MODES_H

#include "core/internal.h"

/* Returns the places in an image (int64, on the device) that the places of the padded image show: in the last `padded` of its
 * ndim dimensions but the last `first`. */
tocha_tensor *tocha_padded_places(tocha_context *cx, const char *mode, const int64_t *padded_sizes,
                                  const int64_t *sizes, int ndim, int first, int padded,
                                  const int64_t *pad, tocha_device device);

#endif
