/* sum.c: operators composed of sums. */
#include "ops/reduction/reduce.h"
#include "reduction/implementations.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/nansum.h"
#include "tocha/ops/ne.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/view.h"
#include "tocha/ops/zero_where.h"

/* Adds elements that are not NaN. For an integer dtype the NaN are replaced before the conversion,
 * because integers have none. */
tocha_tensor *tocha_op_nansum(tocha_context *cx, tocha_tensor *self, int dim_count,
                              const int64_t *dim, bool keepdim, tocha_dtype dtype) {
  bool converts = dtype != TOCHA_NO_DTYPE && !tocha_dtype_is_floating(dtype);
  if (converts && tocha_dtype_is_floating((tocha_dtype)self->dtype))
    self = tocha_zero_where(cx, self, tocha_ne(cx, self, self));
  tocha_reduce_over over = {self, dim_count, dim, keepdim};
  return self ? tocha_reduce(cx, &tocha_reduction_nansum, "nansum", over, dtype, 0) : NULL;
}

tocha_tensor *tocha_op_nanmean(tocha_context *cx, tocha_tensor *self, int dim_count,
                               const int64_t *dim, bool keepdim, tocha_dtype dtype) {
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(
        cx, TOCHA_NOT_IMPLEMENTED_ERROR,
        "nanmean(): expected input to have floating point or complex dtype but got %s",
        tocha_dtype_scalar_type(self->dtype));
  if (dtype != TOCHA_NO_DTYPE && !tocha_dtype_is_floating(dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "nanmean(): could not infer output dtype. Optional dtype must be either a "
                      "floating point or complex dtype. Got: %s",
                      tocha_dtype_scalar_type(dtype));
  tocha_tensor *known = tocha_eq(cx, self, self);
  tocha_tensor *count =
      tocha_sum_dim_IntList_full(cx, known, dim_count, dim, keepdim, TOCHA_NO_DTYPE);
  tocha_tensor *total = tocha_nansum_full(cx, self, dim_count, dim, keepdim, dtype);
  return tocha_div(cx, total, count);
}

tocha_tensor *tocha_op_sum_to_size(tocha_context *cx, tocha_tensor *self, int size_count,
                                   const int64_t *size) {
  int64_t dims[TOCHA_MAX_DIMS], leading = self->ndim - size_count;
  int count = 0;
  bool fits = leading >= 0;
  for (int i = 0; fits && i < self->ndim; i++) {
    if (i < leading || (size[i - leading] == 1 && self->sizes[i] != 1))
      dims[count++] = i;
    else
      fits = size[i - leading] == self->sizes[i];
  }
  if (!fits) {
    char a[256], b[256];
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "size {%s} is not expandable to size {%s}.",
                      tocha_shape_text(size_count, size, a, sizeof a),
                      tocha_shape_text(self->ndim, self->sizes, b, sizeof b));
  }
  if (size_count == 0) return tocha_sum(cx, self);
  tocha_tensor *out = self;
  if (count) out = tocha_sum_dim_IntList(cx, self, count, dims, true);
  return leading > 0 ? tocha_view(cx, out, size_count, size) : out;
}
