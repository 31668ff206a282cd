/* quantile.c: values between the elements of sorted rows, by rank; and msort. */
#include <string.h>

#include "sorting/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/add.h"
#include "tocha/ops/any.h"
#include "tocha/ops/ceil.h"
#include "tocha/ops/clamp_min.h"
#include "tocha/ops/flatten.h"
#include "tocha/ops/floor.h"
#include "tocha/ops/gather.h"
#include "tocha/ops/isnan.h"
#include "tocha/ops/lerp.h"
#include "tocha/ops/logical_not.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/round.h"
#include "tocha/ops/sort.h"
#include "tocha/ops/squeeze_.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/to.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/transpose_.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/unsqueeze_.h"

static const int64_t last = -1;

static tocha_tensor *plus(tocha_context *cx, tocha_tensor *t, int64_t n) {
  return tocha_add_full(cx, t, (tocha_operand){.scalar = tocha_int(n)}, tocha_int(1));
}

static bool check_quantile(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *q,
                           const char *interpolation) {
  static const char *const known[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  const char *words = NULL;
  bool found = false;
  for (size_t i = 0; i < TOCHA_COUNT(known); i++) found |= strcmp(known[i], interpolation) == 0;
  if (!found)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "quantile() interpolation must be one of linear, lower, higher, midpoint or "
                      "nearest, but got %s",
                      interpolation);
  if (self->numel == 0)
    words = "input tensor must be non-empty";
  else if (q->ndim > 1)
    words = "q must be a scalar or 1D tensor";
  else if (self->dtype != TOCHA_FLOAT32 && self->dtype != TOCHA_FLOAT64)
    words = "input tensor must be either float or double dtype";
  else if (self->dtype != q->dtype)
    words = "q tensor must be same dtype as the input tensor";
  return !words || tocha_fail(cx, TOCHA_RUNTIME_ERROR, "quantile() %s", words);
}

/* Fails if an element of q is outside 0 .. 1. Only checks on the CPU, because a device would have
 * to wait. */
static bool check_range(tocha_context *cx, tocha_tensor *q) {
  if (q->device.type != TOCHA_CPU) return true;
  tocha_tensor *rows = tocha_as_rows(cx, q, TOCHA_FLOAT64);
  if (!rows) return false;
  const double *values = (const double *)(const void *)tocha_bytes(rows);
  for (int64_t i = 0; i < rows->numel; i++)
    if (!(values[i] >= 0 && values[i] <= 1))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "quantile() q values must be in the range [0, 1]");
  return true;
}

/* Returns the ranks of the quantiles in each sorted row (along the last dimension), as fractional
 * positions. */
static tocha_tensor *ranks(tocha_context *cx, tocha_tensor *sorted, tocha_tensor *q, bool skips) {
  tocha_tensor *nan = tocha_isnan(cx, sorted);
  tocha_operand end = {.scalar = tocha_int(sorted->sizes[sorted->ndim - 1] - 1)};
  if (!skips) {
    nan = tocha_any(cx, nan, 1, &last, true);
    tocha_tensor *rank = tocha_mul_full(cx, q, end);
    tocha_tensor *zeros = tocha_mul_full(cx, nan, (tocha_operand){.scalar = tocha_int(0)});
    return tocha_masked_fill_full(cx, tocha_add(cx, rank, zeros), nan, end); /* broadcast */
  }
  tocha_tensor *count = tocha_sum_dim_IntList(cx, tocha_logical_not(cx, nan), 1, &last, true);
  tocha_tensor *rank = tocha_mul(cx, q, plus(cx, count, -1));
  return tocha_clamp_min(cx, rank, tocha_int(0)); /* 0 if all are NaN */
}

static tocha_tensor *at_ranks(tocha_context *cx, tocha_tensor *sorted, tocha_tensor *rank,
                              const char *interpolation) {
  if (strcmp(interpolation, "lower") == 0) rank = tocha_floor(cx, rank);
  if (strcmp(interpolation, "higher") == 0) rank = tocha_ceil(cx, rank);
  if (strcmp(interpolation, "nearest") == 0) rank = tocha_round(cx, rank);
  tocha_tensor *below = tocha_to_dtype(cx, rank, TOCHA_INT64, false, false);
  tocha_tensor *values = below ? tocha_gather(cx, sorted, -1, below) : NULL;
  bool middle = strcmp(interpolation, "midpoint") == 0;
  if (!values || (!middle && strcmp(interpolation, "linear") != 0)) return values;
  tocha_tensor *above = tocha_to_dtype(cx, tocha_ceil(cx, rank), TOCHA_INT64, false, false);
  tocha_tensor *greater = above ? tocha_gather(cx, sorted, -1, above) : NULL;
  if (middle) return tocha_lerp_scalar(cx, values, greater, tocha_float(0.5));
  return tocha_lerp(cx, values, greater, tocha_sub(cx, rank, below));
}

/* Returns the elements in order, with the elements of each quantile along the last dimension. */
static tocha_tensor *sorted_rows(tocha_context *cx, tocha_tensor *self, const int64_t *dim,
                                 bool keepdim) {
  int64_t sizes[TOCHA_MAX_DIMS + 1];
  int n = 0;
  tocha_tensor *rows = self, *order;
  if (!dim)
    rows = tocha_flatten(cx, self, 0, -1);
  else if (*dim != self->ndim - 1)
    rows = tocha_transpose(cx, tocha_unsqueeze(cx, self, -1), *dim, -1);
  if (!rows || !tocha_sort(cx, rows, -1, false, &rows, &order)) return NULL;
  for (int d = 0; d < self->ndim; d++)
    if (dim && d != *dim)
      sizes[n++] = self->sizes[d];
    else if (keepdim)
      sizes[n++] = 1;
  sizes[n++] = rows->sizes[rows->ndim - 1];
  return tocha_reshape(cx, rows, n, sizes);
}

/* Writes the quantiles along a new first dimension, which a 0-dim q does not have. */
tocha_tensor *tocha_op_quantile(tocha_context *cx, tocha_tensor *self, tocha_tensor *q,
                                const int64_t *dim, bool keepdim, const char *interpolation,
                                bool skips) {
  int64_t at = dim ? *dim : 0;
  bool single = q->ndim == 0;
  if (!check_quantile(cx, self, q, interpolation) ||
      (dim && !tocha_wrap_dim(cx, &at, self->ndim)) || !check_range(cx, q))
    return NULL;
  tocha_tensor *rows = sorted_rows(cx, self, dim ? &at : NULL, keepdim);
  if (single) q = tocha_unsqueeze(cx, q, 0);
  if (!rows || !q) return NULL;
  tocha_tensor *out = at_ranks(cx, rows, ranks(cx, rows, q, skips), interpolation);
  if (!single) out = tocha_transpose_(cx, tocha_unsqueeze_(cx, out, 0), 0, -1);
  return tocha_squeeze_dim_(cx, out, -1);
}

static tocha_tensor *number(tocha_context *cx, tocha_tensor *self, double q) {
  if (!(q >= 0 && q <= 1))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "quantile() q must be in the range [0, 1] but got %g", q);
  tocha_tensor *t = tocha_new(cx, 0, NULL, self->dtype, self->device);
  return t && tocha_fill_data(cx, t, tocha_float(q)) ? t : NULL;
}

tocha_tensor *tocha_op_quantile_scalar(tocha_context *cx, tocha_tensor *self, double q,
                                       const int64_t *dim, bool keepdim, const char *interpolation,
                                       bool skips) {
  tocha_tensor *t = number(cx, self, q);
  return t ? tocha_op_quantile(cx, self, t, dim, keepdim, interpolation, skips) : NULL;
}
