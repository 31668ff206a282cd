/* tiles.h: runs over operands some of which are transposed relative to the first, as in m:t() +
 * m. */
#ifndef TOCHA_TILES_H
#define TOCHA_TILES_H

#include "tensor/iterator.h"

/* Does the same as tocha_run_layout. Operands that are transposed relative to the first are
 * copied tile by tile into memory that stays in the cache, so that every run finds its elements
 * side by side. */
bool tocha_run_layout_tiled(tocha_context *cx, const tocha_strided_layout *layout, tocha_run run,
                            void *user);

#endif
