/* logsumexp.c: log(sum(exp(x))). */
#include <math.h>

#include "device/devices.h"
#include "ops/reduction/reduce.h"
#include "reduction/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/add.h"
#include "tocha/ops/amax.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/log.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"

static const tocha_reduction row = {.name = "logsumexp", .kind = TOCHA_REDUCE_LOG_SUM_EXP};

static bool has_kernel(tocha_context *cx, const tocha_tensor *self) {
  if (self->device.type == TOCHA_META) return false;
  tocha_stream *s = tocha_stream_of(cx, self->device);
  return s && s->kernels->reduction->has_log_sum_exp;
}

static tocha_tensor *in_one_pass(tocha_context *cx, tocha_tensor *self, int dim_count,
                                 const int64_t *dim, bool keepdim) {
  tocha_reduced reduced;
  tocha_dtype dtype = (tocha_dtype)self->dtype;
  if (!tocha_reduced_of(cx, self, dim_count, dim, keepdim, &reduced)) return NULL;
  tocha_tensor *out = tocha_new_reduced(cx, self, &reduced, dtype);
  tocha_reduce_call call = {.reduction = &row,
                            .self = self,
                            .reduced = &reduced,
                            .compute = tocha_reduce_dtype(dtype),
                            .out = out};
  return out && tocha_run_reduction(cx, &call) ? out : NULL;
}

/* Returns log(sum(exp(x - m))) + m, with m = max x, or m = 0 if that is infinite. */
tocha_tensor *tocha_op_logsumexp(tocha_context *cx, tocha_tensor *self, int dim_count,
                                 const int64_t *dim, bool keepdim) {
  if (!tocha_dtype_is_floating(self->dtype)) self = tocha_as_dtype(cx, self, cx->default_dtype);
  if (!self) return NULL;
  if (has_kernel(cx, self)) return in_one_pass(cx, self, dim_count, dim, keepdim);
  if (self->numel == 0)
    return tocha_log(cx, tocha_sum_dim_IntList(cx, tocha_exp(cx, self), dim_count, dim, keepdim));
  tocha_tensor *top = tocha_amax(cx, self, dim_count, dim, true);
  if (!top) return NULL;
  tocha_tensor *finite = tocha_as_rows(cx, top, TOCHA_FLOAT64);
  if (finite && finite == top) finite = tocha_clone(cx, top);
  if (!finite) return NULL;
  if (finite->device.type != TOCHA_META) {
    double *values = (double *)tocha_bytes(finite);
    for (int64_t i = 0; i < finite->numel; i++)
      if (isinf(values[i])) values[i] = 0;
  }
  finite = tocha_as_dtype(cx, finite, self->dtype);
  tocha_tensor *total = tocha_exp(cx, tocha_sub(cx, self, finite));
  total = tocha_log(cx, tocha_sum_dim_IntList(cx, total, dim_count, dim, keepdim));
  if (!total || !finite) return NULL;
  return tocha_add(cx, total, tocha_reshape(cx, finite, total->ndim, total->sizes));
}
