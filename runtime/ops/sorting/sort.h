/* sort.h: sorting and ranges for other operators. */
#ifndef TOCHA_SORT_H
#define TOCHA_SORT_H

#include "core/tensor.h"
#include "ops/sorting/kernels.h"

/* Sorts `in` (row-major, of any dtype) into values and indices (int64), row-major, args->kept
 * elements of each n. Either may be NULL. The caller sets the sizes, bits and descending in
 * args. */
bool tocha_sort_rows(tocha_context *cx, tocha_tensor *in, tocha_sort_args *args,
                     tocha_tensor *values, tocha_tensor *indices);
/* Writes the minimum and maximum of `in` (dense int64), or leaves both unchanged if `in` is empty.
 * Waits for the device. */
bool tocha_integer_range(tocha_context *cx, tocha_tensor *in, int64_t *minimum, int64_t *maximum);
/* Fails if slices along dim (wrapped) cannot be compared because of dimensions of size 0. */
bool tocha_check_unique(tocha_context *cx, const tocha_tensor *self, int64_t dim);

#endif
