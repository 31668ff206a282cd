/* sort_device.h: order on a device: what sort.c does there by kernels. */
#ifndef TOCHA_SORT_DEVICE_H
#define TOCHA_SORT_DEVICE_H

#include "device/devices.h"
#include "ops/sorting/kernels.h"

/* Sorts in (dense: args's rows times n elements, of any dtype) into values and indices (int64),
 * dense rows of args's kept elements; either may be NULL. args: rows, n, kept, bits, descending are
 * given. */
bool tocha_sort_rows(tocha_context *cx, tocha_tensor *in, tocha_sort_args *args,
                     tocha_tensor *values, tocha_tensor *indices);

/* What is asked along a dimension: all in order, the first k, or one element. */
typedef struct tocha_order {
  enum {
    TOCHA_ORDER_SORT,
    TOCHA_ORDER_TOP,
    TOCHA_ORDER_KTH,
    TOCHA_ORDER_MEDIAN,
    TOCHA_ORDER_MODE
  } task;
  int64_t k;
  bool descending, skip_nan;
  bool drop; /* the dimension goes (its size in the result is 1) */
} tocha_order;
bool tocha_order_on_device(tocha_context *cx, tocha_tensor *self, int64_t dim, const tocha_order *o,
                           tocha_tensor **values, tocha_tensor **indices);

/* unique: the different elements in order, where each element of self is among them, and how often
 * each occurs. Waits, for the number. */
bool tocha_unique_on_device(tocha_context *cx, tocha_tensor *self, tocha_tensor **output,
                            tocha_tensor **inverse, tocha_tensor **counts);
/* The least and the greatest integer of in (dense int64, not empty). Waits. */
bool tocha_integer_range(tocha_context *cx, tocha_tensor *in, int64_t *least, int64_t *greatest);
/* out[in[i]] += weights[i], or 1 where weights is NULL; in: int64, checked against out's size. */
bool tocha_count_on_device(tocha_context *cx, tocha_tensor *out, tocha_tensor *in,
                           tocha_tensor *weights);
/* out (int64, zeroed): how many elements of in fall into each bin from low to high. */
bool tocha_histogram_on_device(tocha_context *cx, tocha_tensor *out, tocha_tensor *in, double low,
                               double high);

#endif
