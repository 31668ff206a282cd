/* views.h: the arithmetic of shapes that views, joins and subscripts share. */
#ifndef TOCHA_VIEWS_H
#define TOCHA_VIEWS_H

#include "core/internal.h"

/* asked with its -1 (if any) replaced so that the sizes hold numel elements; false with PyTorch's
 * message where they cannot. */
bool tocha_infer_size(tocha_context *cx, int count, const int64_t *asked, int64_t numel,
                      int64_t *sizes);
/* marked[d] (TOCHA_MAX_DIMS of them) says whether dims names d; false where one is out of range or
 * named twice. */
bool tocha_mark_dims(tocha_context *cx, int count, const int64_t *dims, int ndim, bool *marked);
/* Python's slice start:stop over a dimension of `size`, as first <= last within 0..size. */
void tocha_slice_bounds(int64_t size, const int64_t *start, const int64_t *stop, int64_t *first,
                        int64_t *last);

#endif
