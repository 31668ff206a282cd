/* extremes.c: minimum and maximum, and their positions. */
#include "device/devices.h"
#include "ops/reduction/reduce.h"
#include "reduction/implementations.h"
#include "tensor/copy.h"

bool tocha_op_aminmax(tocha_context *cx, tocha_tensor *self, const int64_t *dim, bool keepdim,
                      tocha_tensor **min, tocha_tensor **max) {
  if (!dim && self->numel == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "aminmax(): cannot compute aminmax over an empty dimension as the operation "
                      "has no identity.");
  int64_t along = dim ? *dim : 0;
  if (!tocha_wrap_dim(cx, &along, self->ndim)) return false;
  if (dim && self->ndim && self->sizes[along] == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "aminmax: Expected reduction dim %lld to have non-zero size.",
                      (long long)along);
  tocha_reduce_over over = {self, dim ? 1 : 0, dim, keepdim};
  *min = tocha_reduce(cx, &tocha_reduction_amin, "aminmax", over, TOCHA_NO_DTYPE, 0);
  *max = tocha_reduce(cx, &tocha_reduction_amax, "aminmax", over, TOCHA_NO_DTYPE, 0);
  return *min && *max;
}

/* --- positions -------------------------------------------------------------------------------------------- */

static const tocha_reduction position = {.name = "position", .kind = TOCHA_REDUCE_POSITION};

/* Finds the indices of the first extremes, and their values if `values` is not NULL. */
static bool find(tocha_context *cx, tocha_tensor *self, const tocha_reduced *reduced, bool max,
                 tocha_tensor **values, tocha_tensor **indices) {
  *indices = tocha_new_reduced(cx, self, reduced, TOCHA_INT64);
  if (values) *values = tocha_new_reduced(cx, self, reduced, (tocha_dtype)self->dtype);
  if (!*indices || (values && !*values)) return false;
  tocha_reduce_call call = {.reduction = &position,
                            .self = self,
                            .reduced = reduced,
                            .compute = tocha_reduce_dtype((tocha_dtype)self->dtype),
                            .max = max,
                            .out = values ? *values : NULL,
                            .second = *indices};
  return tocha_run_reduction(cx, &call);
}

bool tocha_op_extreme_along(tocha_context *cx, tocha_tensor *self, int64_t dim, bool keepdim,
                            bool max, tocha_tensor **values, tocha_tensor **indices) {
  tocha_reduced reduced;
  return tocha_reduced_of(cx, self, 1, &dim, keepdim, &reduced) &&
         tocha_check_not_empty(cx, self, &reduced, max ? "max" : "min") &&
         find(cx, self, &reduced, max, values, indices);
}
tocha_tensor *tocha_op_position_of_extreme(tocha_context *cx, tocha_tensor *self,
                                           const int64_t *dim, bool keepdim, bool max) {
  const char *name = max ? "argmax" : "argmin";
  tocha_tensor *indices;
  tocha_reduced reduced;
  if (self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "%s(): does not support bool input", name);
  if (!tocha_reduced_of(cx, self, dim ? 1 : 0, dim, keepdim, &reduced)) return NULL;
  if (!dim && self->numel == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "%s(): Expected reduction dim to be specified for input.numel() == 0.", name);
  if (!tocha_check_not_empty(cx, self, &reduced, name)) return NULL;
  return find(cx, self, &reduced, max, NULL, &indices) ? indices : NULL;
}
