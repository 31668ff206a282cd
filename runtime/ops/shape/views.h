/* views.h: the arithmetic of shapes that views, joins and subscripts share. */
#ifndef TOCHA_VIEWS_H
#define TOCHA_VIEWS_H

#include "core/internal.h"

/* marked[d] (TOCHA_MAX_DIMS of them) says whether dims names d; false where one is out of range or
 * named twice. */
bool tocha_mark_dims(tocha_context *cx, int count, const int64_t *dims, int ndim, bool *marked);

#endif
