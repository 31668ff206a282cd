/* nonzero.h: what is not zero in a tensor. */
#ifndef TOCHA_NONZERO_H
#define TOCHA_NONZERO_H

#include "core/tensor.h"

/* How many elements of flags (row-major) are not zero; tiles: the counts before each tile, for the kernel
 * write_nonzero. Waits. */
bool tocha_count_flags(tocha_context *cx, tocha_tensor *flags, tocha_tensor **tiles,
                       int64_t *count);
/* The coordinates of what is not zero in t: one row-major int64 tensor (ndim, count). */
tocha_tensor *tocha_coordinates(tocha_context *cx, tocha_tensor *t);

#endif
