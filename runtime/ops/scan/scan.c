/* scan.c: cumsum, cumprod, cummax, cummin and logcumsumexp, and the operators of their
 * gradients. */
#include <float.h>
#include <string.h>

#include "device/devices.h"
#include "ops/reduction/reduce.h"
#include "ops/scan/kernels.h"
#include "scan/implementations.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/ops/private/exclusive_product.h"
#include "tocha/ops/private/reverse_cumsum.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/add.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/cumprod.h"
#include "tocha/ops/div.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/flip.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/log.h"
#include "tocha/ops/logcumsumexp.h"
#include "tocha/ops/logical_not.h"
#include "tocha/ops/logical_xor.h"
#include "tocha/ops/lt.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/ones.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/triu.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/where.h"
#include "tocha/ops/zero_where.h"

static bool launch_scan(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *out,
                        const tocha_tensor *indices, int64_t dim, int kind, bool backward) {
  tocha_rows r = tocha_rows_around(self, dim);
  tocha_scan_args args = {.in = tocha_bytes(self),
                          .out = tocha_bytes(out),
                          .indices = indices ? tocha_bytes(indices) : NULL,
                          .outer = r.outer,
                          .n = r.n,
                          .inner = r.inner,
                          .kind = kind,
                          .compute = (int32_t)tocha_reduce_dtype(out->dtype),
                          .in_dtype = self->dtype,
                          .out_dtype = out->dtype,
                          .backward = backward};
  tocha_stream *s = tocha_stream_of(cx, self->device);
  return s &&
         tocha_new_scratch(cx, self->device, s->kernels->scan->scan_scratch(s, &args),
                           &args.scratch) &&
         tocha_launched(cx, s->kernels->scan->scan(s, &args));
}

/* Scans self along dim into a tensor of dtype `result`. Also writes indices unless it is NULL. */
static tocha_tensor *scan(tocha_context *cx, tocha_tensor *self, int64_t dim, tocha_dtype result,
                          int kind, bool backward, tocha_tensor **indices) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  bool alone = self->ndim == 0 || self->numel == 0; /* copied unchanged, for any dtype */
  if (alone && !indices && result == TOCHA_BOOL) {
    tocha_tensor *copy = tocha_new_like(cx, self, result);
    return copy && tocha_copy_data(cx, copy, self) ? copy : NULL;
  }
  if (result == TOCHA_BOOL && !indices)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"cum%s_%s\" not implemented for 'Bool'",
                      kind == TOCHA_SCAN_SUM ? "sum" : "prod",
                      tocha_is_on_device(self) ? "cuda" : "out_cpu");
  tocha_dtype type = self->dtype; /* elements become integers before they are added as integers */
  if (tocha_dtype_is_floating(type) && !tocha_dtype_is_floating(result)) type = TOCHA_INT64;
  self = tocha_as_rows(cx, self, type);
  tocha_tensor *out = self ? tocha_new_like(cx, self, result) : NULL;
  if (!out || (indices && !(*indices = tocha_new_like(cx, self, TOCHA_INT64)))) return NULL;
  if (tocha_has_elements(out) &&
      !launch_scan(cx, self, out, indices ? *indices : NULL, dim, kind, backward))
    return NULL;
  return out;
}

/* Returns the dtype of a sum or product. bool and integers use int64. */
static tocha_dtype result_dtype(const tocha_tensor *self, tocha_dtype asked) {
  if (asked != TOCHA_NO_DTYPE) return asked;
  return tocha_dtype_is_floating(self->dtype) ? (tocha_dtype)self->dtype : TOCHA_INT64;
}

/* Implements cumsum and cumprod. */
tocha_tensor *tocha_op_cumulate(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                tocha_dtype dtype, int kind) {
  return scan(cx, self, dim, result_dtype(self, dtype), kind, false, NULL);
}

/* Fails if an in-place call asks for another dtype than self's. */
static bool check_inplace(tocha_context *cx, const tocha_tensor *self, tocha_dtype asked) {
  if (asked == TOCHA_NO_DTYPE || asked == self->dtype) return true;
  return tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "Bad in-place call: input tensor dtype %s and output tensor dtype %s should match",
      tocha_dtype_cpp_name(self->dtype), tocha_dtype_cpp_name(asked));
}

tocha_tensor *tocha_op_cumulate_inplace(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                        tocha_dtype dtype, int kind) {
  return check_inplace(cx, self, dtype) ? tocha_op_cumulate(cx, self, dim, self->dtype, kind)
                                        : NULL;
}

static bool check_extreme(tocha_context *cx, const tocha_tensor *self, int64_t dim,
                          const char *name) {
  if (self->ndim || dim == 0 || dim == -1) return true;
  return tocha_fail(cx, TOCHA_INDEX_ERROR,
                    "%s(): Expected reduction dim -1 or 0 for scalar but got %lld", name,
                    (long long)dim);
}

/* Implements cummax and cummin. */
bool tocha_op_extreme_so_far(tocha_context *cx, tocha_tensor *self, int64_t dim, int kind,
                             const char *name, tocha_tensor **values, tocha_tensor **indices) {
  if (!check_extreme(cx, self, dim, name)) return false;
  return (*values = scan(cx, self, dim, self->dtype, kind, false, indices)) != NULL;
}

tocha_tensor *tocha_op_logcumsumexp(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (!tocha_dtype_is_floating(self->dtype))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"logcumsumexp_out_%s\" not implemented for '%s'",
                      tocha_is_on_device(self) ? "cuda" : "cpu",
                      tocha_dtype_scalar_type((tocha_dtype)self->dtype));
  return scan(cx, self, dim, (tocha_dtype)self->dtype, TOCHA_SCAN_LOGSUM, false, NULL);
}

/* --- for gradients -------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op__reverse_cumsum(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  return scan(cx, self, dim, self->dtype, TOCHA_SCAN_SUM, true, NULL);
}

/* Returns true if a scan along dim leaves the elements unchanged, because each
 * row has only one. */
static bool is_trivial(const tocha_tensor *t, int64_t dim) {
  return t->numel <= 1 || t->sizes[dim < 0 ? dim + t->ndim : dim] == 1;
}

bool tocha_cumsum_backward(tocha_backward_frame *f) {
  tocha_tensor *grad = f->grads[0];
  int64_t dim = f->args[1].value.integer;
  if (!grad) return true;
  f->out[0] = is_trivial(grad, dim) ? grad : tocha_private_reverse_cumsum(f->cx, grad, dim);
  return f->out[0] != NULL;
}

/* Returns, for each element, the product of the elements before it along dim. */
static tocha_tensor *products_before(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  tocha_tensor *first = tocha_narrow(cx, self, dim, 0, 1);
  tocha_tensor *parts[2] = {tocha_ones_like(cx, first),
                            tocha_narrow(cx, self, dim, 0, self->sizes[dim] - 1)};
  if (tocha_failed(cx)) return NULL;
  return tocha_cumprod(cx, tocha_cat(cx, 2, parts, dim), dim);
}

/* Computes _exclusive_product by operators, so that it has a graph. */
static tocha_tensor *products_of_others(tocha_context *cx, tocha_tensor *self, int64_t dim) {
  tocha_tensor *before = products_before(cx, self, dim);
  tocha_tensor *after = before ? products_before(cx, tocha_flip(cx, self, 1, &dim), dim) : NULL;
  return after ? tocha_mul(cx, before, tocha_flip(cx, after, 1, &dim)) : NULL;
}

/* Computes the gradient of cumprod by operators, so that it has a graph. Element i is the sum over
 * k >= i of grad[k] times the product of self[j] for j <= k, j != i. Each row needs a matrix (i,
 * k). */
static tocha_tensor *products_without_one(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                          tocha_tensor *grad) {
  int64_t n = self->sizes[dim], square[TOCHA_MAX_DIMS + 1], over = -1;
  self = tocha_unsqueeze(cx, tocha_transpose(cx, self, dim, -1), -2);
  grad = tocha_unsqueeze(cx, tocha_transpose(cx, grad, dim, -1), -2);
  if (!self || !grad) return NULL;
  memcpy(square, self->sizes, (size_t)self->ndim * sizeof *square);
  square[self->ndim - 2] = n;
  tocha_tensor *ones =
      tocha_ones_full(cx, 2, square + self->ndim - 2, TOCHA_BOOL, self->device, false);
  tocha_tensor *upper = tocha_triu(cx, ones, 0), *later = tocha_triu(cx, ones, 1);
  if (tocha_failed(cx)) return NULL;
  tocha_tensor *itself = tocha_logical_xor(cx, upper, later),
               *sooner = tocha_logical_not(cx, upper);
  tocha_operand one = tocha_number(tocha_int(1));
  tocha_tensor *factors =
      tocha_masked_fill_full(cx, tocha_expand(cx, self, self->ndim, square), itself, one);
  tocha_tensor *terms = tocha_mul(cx, tocha_cumprod(cx, factors, -1), grad);
  terms = terms && sooner ? tocha_zero_where(cx, terms, sooner) : NULL;
  return tocha_transpose(cx, tocha_sum_dim_IntList(cx, terms, 1, &over, false), dim, -1);
}

/* Computes in float64, because this operator is used for rows with zeros. */
tocha_tensor *tocha_op__exclusive_product(tocha_context *cx, tocha_tensor *self, int64_t dim,
                                          tocha_tensor *running) {
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  if (tocha_grad_enabled(cx) && self->ndim > 0 && self->sizes[dim] > 0)
    return running ? products_without_one(cx, self, dim, running)
                   : products_of_others(cx, self, dim);
  tocha_tensor *x = tocha_as_rows(cx, self, TOCHA_FLOAT64);
  tocha_tensor *gradient = tocha_as_rows(cx, running, TOCHA_FLOAT64);
  tocha_tensor *out = x ? tocha_new_like(cx, x, TOCHA_FLOAT64) : NULL;
  if (!out || (running && !gradient)) return NULL;
  if (tocha_has_elements(out)) {
    tocha_rows r = tocha_rows_around(x, dim);
    tocha_exclusive_product_args args = {
        tocha_bytes(x), gradient ? tocha_bytes(gradient) : NULL, tocha_bytes(out), r.outer, r.n,
        r.inner};
    tocha_stream *s = tocha_stream_of(cx, x->device);
    if (!s || !tocha_launched(cx, s->kernels->scan->exclusive_product(s, &args))) return NULL;
  }
  return tocha_as_dtype(cx, out, self->dtype);
}

tocha_tensor *tocha_op__cumprod_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                         tocha_tensor *result, int64_t dim) {
  bool zeros;
  if (is_trivial(self, dim)) return grad;
  if (!tocha_has_zero(cx, self, &zeros)) return NULL;
  if (zeros) return tocha_private_exclusive_product(cx, self, dim, grad);
  return tocha_div(cx, tocha_private_reverse_cumsum(cx, tocha_mul(cx, grad, result), dim), self);
}

/* Returns the part of logcumsumexp's gradient that comes from the elements of grad of one sign. */
static tocha_tensor *share_of_sign(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                   tocha_tensor *result, int64_t dim, bool positive) {
  static const double lowest[] = {[TOCHA_FLOAT16] = -65504,
                                  [TOCHA_BFLOAT16] = -3.3895313892515355e38,
                                  [TOCHA_FLOAT32] = -FLT_MAX,
                                  [TOCHA_FLOAT64] = -DBL_MAX};
  tocha_operand zero = tocha_number(tocha_int(0));
  tocha_tensor *size = tocha_log(cx, tocha_abs(cx, grad));
  tocha_tensor *mask = positive ? tocha_gt_full(cx, grad, zero) : tocha_lt_full(cx, grad, zero);
  if (!size || !mask) return NULL;
  tocha_tensor *part = tocha_where_full(cx, mask, tocha_operand_of(size),
                                        tocha_number(tocha_float(lowest[grad->dtype])));
  tocha_tensor *reversed = tocha_flip(cx, tocha_sub(cx, part, result), 1, &dim);
  tocha_tensor *sums = tocha_flip(cx, tocha_logcumsumexp(cx, reversed, dim), 1, &dim);
  return tocha_exp(cx, tocha_add(cx, sums, self));
}

tocha_tensor *tocha_op__logcumsumexp_backward(tocha_context *cx, tocha_tensor *grad,
                                              tocha_tensor *self, tocha_tensor *result,
                                              int64_t dim) {
  if (grad->ndim == 0 || grad->numel == 0) return grad;
  tocha_tensor *gains = share_of_sign(cx, grad, self, result, dim, true);
  tocha_tensor *losses = share_of_sign(cx, grad, self, result, dim, false);
  return tocha_sub(cx, gains, losses);
}
