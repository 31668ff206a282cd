/* views.h: the arithmetic of dimensions, shared by views, joins and subscripts. */
#ifndef TOCHA_VIEWS_H
#define TOCHA_VIEWS_H

#include "core/internal.h"

/* Sets marked[d], for TOCHA_MAX_DIMS dimensions, to true if dims contains d. Fails if a dim is out
 * of range or repeated. */
bool tocha_mark_dims(tocha_context *cx, int count, const int64_t *dims, int ndim, bool *marked);

#endif
