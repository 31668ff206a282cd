/* variance.c: variances and standard deviations. */
#include "ops/reduction/reduce.h"
#include "reduction/implementations.h"

static const tocha_reduction variance_row = {.name = "var", .kind = TOCHA_REDUCE_VARIANCE};
static const tocha_reduction deviation_row = {
    .name = "std", .kind = TOCHA_REDUCE_VARIANCE, .finish = TOCHA_FINISH_ROOT};

typedef struct variance_call {
  const char *name;
  bool root;
  int dims;
  const int64_t *dim;
  double correction;
  bool keepdim;
} variance_call;

static bool variance(tocha_context *cx, tocha_tensor *self, const variance_call *c,
                     tocha_tensor **value, tocha_tensor **mean) {
  tocha_reduced reduced;
  tocha_dtype dtype = (tocha_dtype)self->dtype;
  if (!tocha_dtype_is_floating(dtype)) {
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "%s only support floating point and complex dtypes",
               mean ? c->name : "std and var");
    return false;
  }
  if (!tocha_reduced_of(cx, self, c->dims, c->dim, c->keepdim, &reduced)) return false;
  if ((double)reduced.count - c->correction <= 0)
    tocha_warn(cx,
               "%s(): degrees of freedom is <= 0. Correction should be strictly less than the "
               "reduction factor (input numel divided by output numel).",
               c->name);
  *value = tocha_new_reduced(cx, self, &reduced, dtype);
  if (mean) *mean = tocha_new_reduced(cx, self, &reduced, dtype);
  if (!*value || (mean && !*mean)) return false;
  tocha_reduce_call call = {.reduction = c->root ? &deviation_row : &variance_row,
                            .self = self,
                            .reduced = &reduced,
                            .compute = tocha_reduce_dtype(dtype),
                            .number = c->correction,
                            .out = *value,
                            .second = mean ? *mean : NULL};
  return tocha_run_reduction(cx, &call);
}

static double correction_of(const tocha_scalar *correction) {
  return correction ? tocha_scalar_real(*correction) : 1;
}

tocha_tensor *tocha_op_var_correction(tocha_context *cx, tocha_tensor *self, int dim_count,
                                      const int64_t *dim, const tocha_scalar *correction,
                                      bool keepdim) {
  variance_call c = {"var", false, dim_count, dim, correction_of(correction), keepdim};
  tocha_tensor *out;
  return variance(cx, self, &c, &out, NULL) ? out : NULL;
}
tocha_tensor *tocha_op_std_correction(tocha_context *cx, tocha_tensor *self, int dim_count,
                                      const int64_t *dim, const tocha_scalar *correction,
                                      bool keepdim) {
  variance_call c = {"std", true, dim_count, dim, correction_of(correction), keepdim};
  tocha_tensor *out;
  return variance(cx, self, &c, &out, NULL) ? out : NULL;
}
bool tocha_op_var_mean_correction(tocha_context *cx, tocha_tensor *self, int dim_count,
                                  const int64_t *dim, const tocha_scalar *correction, bool keepdim,
                                  tocha_tensor **value, tocha_tensor **mean) {
  variance_call c = {"var_mean", false, dim_count, dim, correction_of(correction), keepdim};
  return variance(cx, self, &c, value, mean);
}
bool tocha_op_std_mean_correction(tocha_context *cx, tocha_tensor *self, int dim_count,
                                  const int64_t *dim, const tocha_scalar *correction, bool keepdim,
                                  tocha_tensor **value, tocha_tensor **mean) {
  variance_call c = {"std_mean", true, dim_count, dim, correction_of(correction), keepdim};
  return variance(cx, self, &c, value, mean);
}
