/* dims.h: sizes as text, and dimensions counted from the end (dims.c). */
#ifndef TOCHA_CORE_DIMS_H
#define TOCHA_CORE_DIMS_H

#include "tocha/context.h"

/* "[2, 3]" into text (cut to fit); returns text. */
const char *tocha_shape_text(int ndim, const int64_t *sizes, char *text, size_t room);

/* Wraps dim in -ndim..ndim-1 (ndim 0 counts as 1). false with PyTorch's IndexError. */
bool tocha_wrap_dim(tocha_context *cx, int64_t *dim, int ndim);

#endif
