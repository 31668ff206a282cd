/* pad_modes.h: the source positions of a padded tensor's elements (pad_modes.c). */
#ifndef TOCHA_PAD_MODES_H
#define TOCHA_PAD_MODES_H

#include "core/internal.h"

/* Returns the source index (int64, on the device) of each place of the padded image. Counts only
 * the last `padded` of the ndim dimensions, without the last `first` ones. */
tocha_tensor *tocha_padded_places(tocha_context *cx, const char *mode, const int64_t *padded_sizes,
                                  const int64_t *sizes, int ndim, int first, int padded,
                                  const int64_t *pad, tocha_device device);

#endif
