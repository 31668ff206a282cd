/* unique.c: the distinct elements of a tensor. */
#include "device/devices.h"
#include "ops/sorting/sort.h"
#include "sorting/implementations.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tensor/transfer.h"
#include "tocha/ops/add.h"
#include "tocha/ops/bincount.h"
#include "tocha/ops/cumsum.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/ne.h"
#include "tocha/ops/nonzero.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/to.h"

/* The result of the unique kernel for n sorted elements. The first `count` of values and the first
 * count + 1 of starts are valid. */
typedef struct found {
  tocha_tensor *values,
      *starts; /* 1-D, n and n + 2 elements; the last of starts receives the count */
  int64_t count;
} found;

/* Finds the distinct elements. order is only needed with `inverse`. */
static bool find(tocha_context *cx, tocha_tensor *sorted, tocha_tensor *order,
                 tocha_tensor *inverse, found *f) {
  int64_t n = sorted->numel, places = n + 2;
  f->values = tocha_new(cx, 1, &n, sorted->dtype, sorted->device);
  f->starts = tocha_new(cx, 1, &places, TOCHA_INT64, sorted->device);
  tocha_stream *s = tocha_stream_of(cx, sorted->device);
  if (!s || !f->values || !f->starts) return false;
  const tocha_sorting_kernels *kernels = s->kernels->sorting;
  tocha_unique_args args = {.sorted = tocha_bytes(sorted),
                            .order = inverse ? (const int64_t *)(void *)tocha_bytes(order) : NULL,
                            .values = tocha_bytes(f->values),
                            .starts = (int64_t *)(void *)tocha_bytes(f->starts),
                            .inverse = inverse ? (int64_t *)(void *)tocha_bytes(inverse) : NULL,
                            .n = n,
                            .dtype = sorted->dtype};
  args.count = args.starts + n + 1;
  return tocha_new_scratch(cx, sorted->device, kernels->unique_scratch(s, &args), &args.scratch) &&
         tocha_launched(cx, kernels->unique(s, &args)) &&
         tocha_read_bytes(cx, sorted->device, args.count, &f->count, sizeof f->count);
}

/* Returns elements first..first + count of t (1-D, dense) as a view. */
static tocha_tensor *part(tocha_context *cx, tocha_tensor *t, int64_t first, int64_t count) {
  int64_t one = 1;
  return tocha_alias(cx, t, 1, &count, &one, first);
}

/* Sorts the elements of self (not empty). Writes their old positions if `order` is not NULL. */
static bool sort(tocha_context *cx, tocha_tensor *self, tocha_tensor **sorted,
                 tocha_tensor **order) {
  int64_t n = self->numel;
  tocha_tensor *rows = tocha_as_rows(cx, self, TOCHA_NO_DTYPE);
  *sorted = tocha_new(cx, 1, &n, self->dtype, self->device);
  if (order) *order = tocha_new(cx, 1, &n, TOCHA_INT64, self->device);
  tocha_sort_args args = {.outer = 1, .n = n, .inner = 1, .kept = n};
  return rows && *sorted && (!order || *order) &&
         tocha_sort_rows(cx, rows, &args, *sorted, order ? *order : NULL);
}

/* The results to compute. inverse and counts are NULL if not needed. */
typedef struct answer {
  tocha_tensor **output, **inverse, **counts;
} answer;

static bool sorted_unique(tocha_context *cx, tocha_tensor *self, const answer *to) {
  found f = {NULL, NULL, 0};
  tocha_tensor *elements, *order = NULL;
  if (to->inverse &&
      !(*to->inverse = tocha_new(cx, self->ndim, self->sizes, TOCHA_INT64, self->device)))
    return false;
  if (!sort(cx, self, &elements, to->inverse ? &order : NULL) ||
      !find(cx, elements, order, to->inverse ? *to->inverse : NULL, &f))
    return false;
  *to->output = tocha_copy_rows(cx, part(cx, f.values, 0, f.count));
  if (to->counts)
    *to->counts = tocha_sub(cx, part(cx, f.starts, 1, f.count), part(cx, f.starts, 0, f.count));
  return *to->output && (!to->counts || *to->counts);
}

/* --- integers ------------------------------------------------------------------------------------------ */

static tocha_tensor *minus(tocha_context *cx, tocha_tensor *t, int64_t number) {
  return tocha_sub_full(cx, t, tocha_number(tocha_int(number)), tocha_int(1));
}

/* Sets *in to self as a row of int64, minus the minimum of the elements. Sets *in to NULL if there
 * are few elements or their range is larger than their number. */
static bool offsets_of(tocha_context *cx, tocha_tensor *self, tocha_tensor **in, int64_t *minimum) {
  enum { MANY = 2048 };
  int64_t maximum = 0;
  *in = NULL;
  if (tocha_dtype_is_floating(self->dtype) || self->numel < MANY) return true;
  tocha_tensor *x = tocha_reshape(cx, tocha_as_rows(cx, self, TOCHA_INT64), 1, &self->numel);
  if (!x || !tocha_integer_range(cx, x, minimum, &maximum)) return false;
  if ((uint64_t)maximum - (uint64_t)*minimum >= (uint64_t)self->numel) return true;
  *in = *minimum ? minus(cx, x, *minimum) : x;
  return *in != NULL;
}

/* Finds the distinct integers by counting `in`, their offsets from the minimum, which takes a tenth
 * of the time of sorting. */
static bool counted_unique(tocha_context *cx, tocha_tensor *self, tocha_tensor *in, int64_t minimum,
                           const answer *to) {
  tocha_tensor *counts = tocha_bincount(cx, in, NULL, 0);
  tocha_tensor *places = tocha_nonzero(cx, counts);
  places = places ? tocha_reshape(cx, places, 1, places->sizes) : NULL;
  if (!places) return false;
  tocha_operand first = tocha_number(tocha_int(minimum));
  *to->output = tocha_to_dtype(cx, tocha_add_full(cx, places, first, tocha_int(1)), self->dtype,
                               false, false);
  if (to->counts) *to->counts = tocha_index_select(cx, counts, 0, places);
  if (to->inverse) {
    tocha_tensor *occurs = tocha_ne_full(cx, counts, tocha_number(tocha_int(0)));
    tocha_tensor *rank = minus(cx, tocha_cumsum(cx, occurs, 0), 1);
    *to->inverse = tocha_reshape(cx, tocha_index_select(cx, rank, 0, in), self->ndim, self->sizes);
  }
  return !tocha_failed(cx);
}

bool tocha_op__unique2(tocha_context *cx, tocha_tensor *self, bool sorted, bool return_inverse,
                       bool return_counts, tocha_tensor **output, tocha_tensor **inverse,
                       tocha_tensor **counts) {
  (void)sorted; /* the result is always sorted */
  int64_t none = 0, minimum = 0;
  answer to = {output, return_inverse ? inverse : NULL, return_counts ? counts : NULL};
  if (!tocha_check_values(cx, self, "_unique2")) return false;
  if (self->numel) {
    tocha_tensor *in;
    if (!offsets_of(cx, self, &in, &minimum) ||
        !(in ? counted_unique(cx, self, in, minimum, &to) : sorted_unique(cx, self, &to)))
      return false;
  } else {
    *output = tocha_new(cx, 1, &none, self->dtype, self->device);
    if (return_inverse)
      *inverse = tocha_new(cx, self->ndim, self->sizes, TOCHA_INT64, self->device);
  }
  if (!return_inverse) *inverse = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  if (!return_counts || !self->numel) *counts = tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  return *output && *inverse && *counts;
}
