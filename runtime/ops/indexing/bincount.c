/* bincount.c: bincount: counts how often each integer occurs, or sums the weights of each. */
#include "indexing/implementations.h"
#include "ops/indexing/index.h"
#include "ops/sorting/sort.h"
#include "tensor/copy.h"

/* Adds weights[i], or 1 if weights is NULL, to out[in[i]]. in: int64, in range. */
static bool count(tocha_context *cx, tocha_tensor *out, tocha_tensor *in, tocha_tensor *weights) {
  tocha_indexed x;
  if (!weights) {
    weights = tocha_new(cx, 0, NULL, out->dtype, out->device);
    if (!weights || !tocha_fill_data(cx, weights, tocha_int(1))) return false;
  }
  tocha_index_elements("bincount", out, 0, in, &x);
  return tocha_index_add_values(cx, &x, weights, tocha_int(1));
}

tocha_tensor *tocha_op_bincount(tocha_context *cx, tocha_tensor *self, tocha_tensor *weights,
                                int64_t minlength) {
  int64_t minimum = 0, maximum = -1;
  if (!tocha_check_values(cx, self, "bincount")) return NULL;
  if (tocha_dtype_is_floating(self->dtype) || self->dtype == TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"bincount_cpu\" not implemented for '%s'",
                      tocha_dtype_scalar_type(self->dtype));
  tocha_tensor *in = tocha_as_rows(cx, self, TOCHA_INT64);
  if (minlength < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "minlength should be >= 0");
  if (self->ndim == 1 && self->numel == 0) weights = NULL; /* weights are ignored */
  if (!in || (self->ndim == 1 && !tocha_integer_range(cx, in, &minimum, &maximum))) return NULL;
  if (self->ndim != 1 || minimum < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "bincount only supports 1-d non-negative integral inputs.");
  if (maximum == INT64_MAX)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "maximum value of input overflowed, it should be < %lld but got %lld",
                      (long long)INT64_MAX, (long long)maximum);
  if (weights && (weights->ndim != 1 || weights->numel != in->numel))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "weights should be 1-d and have the same length as input");
  tocha_dtype type = !weights || in->numel == 0        ? TOCHA_INT64
                     : weights->dtype == TOCHA_FLOAT32 ? TOCHA_FLOAT32
                                                       : TOCHA_FLOAT64;
  int64_t size = maximum >= minlength ? maximum + 1 : minlength;
  tocha_tensor *out = tocha_new(cx, 1, &size, type, self->device);
  if (!out || !tocha_fill_data(cx, out, tocha_int(0))) return NULL;
  if (in->numel == 0) return out;
  if (weights && !(weights = tocha_as_dtype(cx, weights, type))) return NULL;
  return count(cx, out, in, weights) ? out : NULL;
}
