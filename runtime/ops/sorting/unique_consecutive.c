/* unique_consecutive.c: elements, or slices along a dimension, that differ from the previous one.
 * Made of operators, so it runs on any device. */
#include "sorting/implementations.h"
#include "ops/sorting/sort.h"
#include "tensor/copy.h"
#include "tocha/ops/any.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/cumsum.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/masked_select.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/ne.h"
#include "tocha/ops/nonzero.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/transpose.h"

/* Returns, for each of the n positions of dimension 0 of x, true if it differs from the previous
 * one. */
static tocha_tensor *starts_of(tocha_context *cx, tocha_tensor *x) {
  int64_t n = x->sizes[0], row = 1, one = 1;
  tocha_tensor *starts = tocha_new(cx, 1, &n, TOCHA_BOOL, x->device);
  if (!starts || !tocha_fill_data(cx, starts, tocha_boolean(true)) || n < 2) return starts;
  for (int d = 1; d < x->ndim; d++) row *= x->sizes[d];
  tocha_tensor *differs =
      tocha_ne(cx, tocha_narrow(cx, x, 0, 1, n - 1), tocha_narrow(cx, x, 0, 0, n - 1));
  if (x->ndim > 1)
    differs =
        tocha_any(cx, tocha_reshape(cx, differs, 2, (const int64_t[]){n - 1, row}), 1, &one, false);
  tocha_tensor *rest = differs ? tocha_narrow(cx, starts, 0, 1, n - 1) : NULL;
  return rest && tocha_copy_data(cx, rest, differs) ? starts : NULL;
}

/* Returns the positions of the true elements. */
static tocha_tensor *places_of(tocha_context *cx, tocha_tensor *starts) {
  tocha_tensor *found = tocha_nonzero(cx, starts);
  return found ? tocha_reshape(cx, found, 1, found->sizes) : NULL;
}

/* Returns, for each position, the number of true elements up to and including it, minus one. */
static tocha_tensor *numbers_of(tocha_context *cx, tocha_tensor *starts) {
  return tocha_sub_full(cx, tocha_cumsum(cx, starts, 0), tocha_number(tocha_int(1)), tocha_int(1));
}

/* Returns the distance from each place to the next, and from the last to n. */
static tocha_tensor *lengths_of(tocha_context *cx, tocha_tensor *places, int64_t n) {
  if (!places) return NULL;
  int64_t one = 1, count = places->numel;
  tocha_tensor *end = tocha_new(cx, 1, &one, TOCHA_INT64, places->device);
  if (!end || !tocha_fill_data(cx, end, tocha_int(n))) return NULL;
  if (count == 0) return places;
  tocha_tensor *next[2] = {tocha_narrow(cx, places, 0, 1, count - 1), end};
  tocha_tensor *ends = next[0] ? tocha_cat(cx, 2, next, 0) : NULL;
  return ends ? tocha_sub(cx, ends, places) : NULL;
}

bool tocha_op_unique_consecutive(tocha_context *cx, tocha_tensor *self, bool return_inverse,
                                 bool return_counts, const int64_t *dim, tocha_tensor **output,
                                 tocha_tensor **inverse, tocha_tensor **counts) {
  int64_t along = dim ? *dim : 0, none = 0;
  if (!tocha_check_values(cx, self, "unique_consecutive")) return false;
  if (dim && self->ndim == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "Dimension specified as %lld but tensor has no dimensions", (long long)*dim);
  if (dim && (!tocha_wrap_dim(cx, &along, self->ndim) || !tocha_check_unique(cx, self, along)))
    return false;
  tocha_tensor *x = dim ? tocha_transpose(cx, self, 0, along)
                        : tocha_reshape(cx, self, 1, (const int64_t[]){self->numel});
  tocha_tensor *starts = x ? starts_of(cx, x) : NULL;
  if (!starts) return false;
  bool all = dim && (*dim || self->ndim > 1); /* PyTorch then returns both in any case */
  tocha_tensor *places = dim || return_counts ? places_of(cx, starts) : NULL;
  *output = dim ? tocha_transpose(cx, tocha_index_select(cx, x, 0, places), 0, along)
                : tocha_masked_select(cx, x, starts);
  *inverse = all || return_inverse ? numbers_of(cx, starts)
                                   : tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  if (!dim && return_inverse) *inverse = tocha_reshape(cx, *inverse, self->ndim, self->sizes);
  *counts = all || return_counts ? lengths_of(cx, places, x->sizes[0])
                                 : tocha_new(cx, 1, &none, TOCHA_INT64, self->device);
  return *output && *inverse && *counts;
}
