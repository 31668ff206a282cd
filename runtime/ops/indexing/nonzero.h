/* nonzero.h: counts and coordinates of the nonzero elements of a tensor (nonzero.c). */
#ifndef TOCHA_NONZERO_H
#define TOCHA_NONZERO_H

#include "core/tensor.h"

/* Counts the elements of flags (row-major) that are not zero. *tiles: the counts before each tile, for the kernel
 * write_nonzero. Waits for the device. */
bool tocha_count_flags(tocha_context *cx, tocha_tensor *flags, tocha_tensor **tiles,
                       int64_t *count);
/* Returns the coordinates of the nonzero elements of t: one row-major int64 tensor (ndim, count). */
tocha_tensor *tocha_coordinates(tocha_context *cx, tocha_tensor *t);

#endif
