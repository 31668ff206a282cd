/* sort.h: sorting for other operators. */
#ifndef TOCHA_SORT_H
#define TOCHA_SORT_H

#include "core/tensor.h"
#include "ops/sorting/kernels.h"

/* Sorts in (row-major, as args->outer, n, inner say, of any dtype) into values and indices (int64), row-major,
 * args->kept elements of each n; either may be NULL. args: the sizes, bits and descending are given. */
bool tocha_sort_rows(tocha_context *cx, tocha_tensor *in, tocha_sort_args *args,
                     tocha_tensor *values, tocha_tensor *indices);
/* The least and the greatest integer of in (dense int64); left alone where it has none. Waits. */
bool tocha_integer_range(tocha_context *cx, tocha_tensor *in, int64_t *least, int64_t *greatest);
/* Whether slices along dim (wrapped) can be compared at all; else an error. */
bool tocha_check_unique(tocha_context *cx, const tocha_tensor *self, int64_t dim);

#endif
