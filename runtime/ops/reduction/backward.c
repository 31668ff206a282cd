/* backward.c: the backward of reductions, as operators. Most are composites, so gradients of
 * gradients need no code of their own. */
#include <math.h>
#include <string.h>

#include "tensor/copy.h"
#include "device/devices.h"
#include "tensor/iterator.h"
#include "tensor/transfer.h"
#include "ops/reduction/reduce.h"
#include "reduction/implementations.h"
#include "tocha/ops/private/exclusive_product.h"
#include "tocha/ops/private/extreme_backward.h"
#include "tocha/ops/private/mean_backward.h"
#include "tocha/ops/private/norm_backward.h"
#include "tocha/ops/private/std_backward.h"
#include "tocha/ops/private/var_backward.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/add.h"
#include "tocha/ops/all.h"
#include "tocha/ops/count_nonzero.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/private/chosen_backward.h"
#include "tocha/ops/isnan.h"
#include "tocha/ops/logical_and.h"
#include "tocha/ops/logical_or.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sign.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/zeros_like.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/where.h"
#include "tocha/ops/zero_where.h"

/* --- shapes --------------------------------------------------------------------------------------------- */

/* Returns the mask of the dims, a bit per dimension of a tensor of ndim dimensions; all bits if
 * dims is 0. The forward pass has checked the dims. */
static uint64_t mask_of(int ndim, int dims, const int64_t *dim) {
  uint64_t mask = 0;
  int64_t range = ndim ? ndim : 1; /* for a 0-dim tensor -1 is dimension 0 too */
  for (int i = 0; i < dims; i++) mask |= (uint64_t)1 << (dim[i] < 0 ? dim[i] + range : dim[i]);
  return dims ? mask : ~(uint64_t)0;
}

/* Returns t, the result of a reduction over the dimensions of `mask`, with these dimensions
 * restored at size 1. */
static tocha_tensor *kept(tocha_context *cx, tocha_tensor *t, int ndim, uint64_t mask) {
  if (!t || t->ndim == ndim || mask == ~(uint64_t)0) return t; /* a 0-dim t broadcasts as it is */
  for (int i = 0; i < ndim && t; i++)
    if (mask >> i & 1) t = tocha_unsqueeze(cx, t, i);
  return t;
}

static int64_t reduced_count(int ndim, const int64_t *sizes, uint64_t mask) {
  int64_t count = 1;
  for (int i = 0; i < ndim; i++)
    if (mask >> i & 1) count *= sizes[i];
  return count;
}

tocha_tensor *tocha_op__unreduce(tocha_context *cx, tocha_tensor *self, int sizes_count,
                                 const int64_t *sizes, int dim_count, const int64_t *dim) {
  uint64_t mask = mask_of(sizes_count, dim_count, dim);
  self = kept(cx, self, sizes_count, mask);
  return tocha_expand(cx, self, sizes_count, sizes);
}

/* Returns grad / n, expanded to the sizes of the input; n is the number of elements of one mean. */
tocha_tensor *tocha_op__mean_backward(tocha_context *cx, tocha_tensor *grad, int sizes_count,
                                      const int64_t *sizes, int dim_count, const int64_t *dim) {
  int64_t n = reduced_count(sizes_count, sizes, mask_of(sizes_count, dim_count, dim));
  grad = tocha_op__unreduce(cx, grad, sizes_count, sizes, dim_count, dim);
  return tocha_div_full(cx, grad, tocha_number(tocha_int(n)));
}

/* --- chosen values ---------------------------------------------------------------------------- */

/* Splits the gradient equally among all elements that equal the result. */
tocha_tensor *tocha_op__extreme_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                         tocha_tensor *result, int dim_count, const int64_t *dim,
                                         bool equal_nan) {
  uint64_t mask = mask_of(self->ndim, dim_count, dim);
  grad = kept(cx, grad, self->ndim, mask);
  result = kept(cx, result, self->ndim, mask);
  tocha_tensor *equal = tocha_eq(cx, self, result);
  if (equal_nan)
    equal = tocha_logical_or(cx, equal,
                             tocha_logical_and(cx, tocha_isnan(cx, self), tocha_isnan(cx, result)));
  tocha_tensor *count =
      tocha_sum_dim_IntList(cx, equal, dim_count, dim, self->ndim > 0 && grad && grad->ndim > 0);
  if (!count) return NULL;
  return tocha_mul(cx, tocha_div(cx, grad, count), equal);
}

/* Scatters the gradient of values that were chosen along dim to their positions `index`. If dim was
 * removed, it is first restored. */
tocha_tensor *tocha_op__value_selecting_backward(tocha_context *cx, tocha_tensor *grad, int64_t dim,
                                                 tocha_tensor *index, int sizes_count,
                                                 const int64_t *sizes) {
  if (grad->ndim < sizes_count) {
    uint64_t mask = mask_of(sizes_count, 1, &dim);
    grad = kept(cx, grad, sizes_count, mask);
    index = kept(cx, index, sizes_count, mask);
  }
  return index ? tocha_private_chosen_backward(cx, grad, sizes_count, sizes, dim, index) : NULL;
}

/* --- products -------------------------------------------------------------------------------------------------- */

bool tocha_has_zero(tocha_context *cx, const tocha_tensor *t, bool *answer) {
  uint8_t all = 1;
  if (tocha_has_elements(t)) {
    tocha_tensor *flag = tocha_all(cx, (tocha_tensor *)t, 0, NULL, false);
    if (!flag || !tocha_read_element(cx, flag, &all)) return false;
  }
  *answer = all == 0;
  return true;
}

/* Returns grad * result / self, or, if self has zeros, grad times the product of the other
 * elements. */
tocha_tensor *tocha_op__prod_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                      tocha_tensor *result, int dim_count, const int64_t *dim) {
  uint64_t mask = mask_of(self->ndim, dim_count, dim);
  bool zeros;
  if (!tocha_has_zero(cx, self, &zeros)) return NULL;
  grad = kept(cx, grad, self->ndim, mask);
  if (!zeros) {
    result = kept(cx, result, self->ndim, mask);
    return tocha_mul(cx, grad, tocha_div(cx, result, self));
  }
  if (dim_count)
    return tocha_mul(cx, grad, tocha_private_exclusive_product(cx, self, dim[0], NULL));
  int64_t flat = self->numel, others = 0;
  if (!tocha_grad_enabled(cx)) { /* two zeros make all gradients 0; a graph is still needed */
    tocha_tensor *count = tocha_count_nonzero(cx, self, 0, NULL);
    if (!count || !tocha_read_element(cx, count, &others)) return NULL;
    if (flat - others > 1) return tocha_zeros_like(cx, self);
  }
  tocha_tensor *row =
      tocha_private_exclusive_product(cx, tocha_reshape(cx, self, 1, &flat), 0, NULL);
  return tocha_mul(cx, grad, tocha_reshape(cx, row, self->ndim, self->sizes));
}

/* --- moments and norms -------------------------------------------------------------------------------------------- */

/* Returns 2 / (n - correction) * grad * (self - mean). Without degrees of freedom the variance of
 * all elements is infinite. So is its gradient, except for NaN at elements that equal the mean. */
tocha_tensor *tocha_op__var_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                     int dim_count, const int64_t *dim,
                                     const tocha_scalar *correction) {
  uint64_t mask = mask_of(self->ndim, dim_count, dim);
  double left = (double)reduced_count(self->ndim, self->sizes, mask);
  left -= correction ? tocha_scalar_real(*correction) : 1;
  grad = kept(cx, grad, self->ndim, mask);
  tocha_tensor *mean = tocha_mean_dim(cx, self, dim_count, dim, true);
  if (left <= 0 && (dim_count == 0 || self->ndim == 0)) {
    tocha_tensor *same = tocha_eq(cx, self, mean);
    tocha_operand nan = tocha_number(tocha_float(NAN)), inf = tocha_number(tocha_float(INFINITY));
    return same ? tocha_mul(cx, grad,
                            tocha_as_dtype(cx, tocha_where_full(cx, same, nan, inf), self->dtype))
                : NULL;
  }
  grad = tocha_mul_full(cx, grad, tocha_number(tocha_float(2 / left)));
  return tocha_mul(cx, grad, tocha_sub(cx, self, mean));
}

/* Returns the gradient of the standard deviation: passes grad / (2 std), or 0 if std is 0, to the
 * backward of the variance. */
tocha_tensor *tocha_op__std_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                     tocha_tensor *result, int dim_count, const int64_t *dim,
                                     const tocha_scalar *correction) {
  tocha_operand zero = tocha_number(tocha_int(0));
  grad = tocha_div(cx, grad, tocha_mul_full(cx, result, tocha_number(tocha_int(2))));
  grad = tocha_zero_where(cx, grad, tocha_eq_full(cx, result, zero));
  return grad ? tocha_op__var_backward(cx, grad, self, dim_count, dim, correction) : NULL;
}

/* Adds the gradients of the value and of the mean. The operator's arguments: self, dim, correction,
 * keepdim. */
static bool with_mean(tocha_backward_frame *f, bool root) {
  tocha_context *cx = f->cx;
  tocha_tensor *self = f->args[0].tensor, *out = NULL;
  int dims = f->args[1].count;
  const int64_t *dim = f->args[1].value.ints;
  const tocha_scalar *correction = f->args[2].given ? &f->args[2].value.scalar : NULL;
  if (f->grads[0])
    out = root ? tocha_private_std_backward(cx, f->grads[0], self, f->results[0], dims, dim,
                                            correction)
               : tocha_private_var_backward(cx, f->grads[0], self, dims, dim, correction);
  if (f->grads[1]) {
    tocha_tensor *mean =
        tocha_private_mean_backward(cx, f->grads[1], self->ndim, self->sizes, dims, dim);
    out = out ? tocha_add(cx, out, mean) : mean;
  }
  f->out[0] = out;
  return !tocha_failed(cx);
}
bool tocha_var_mean_backward(tocha_backward_frame *f) { return with_mean(f, false); }
bool tocha_std_mean_backward(tocha_backward_frame *f) { return with_mean(f, true); }

/* Adds the gradients of min and max. The operator's arguments: self, dim, keepdim. */
bool tocha_aminmax_backward(tocha_backward_frame *f) {
  tocha_tensor *out = NULL, *self = f->args[0].tensor;
  int dims = f->args[1].given;
  const int64_t *dim = dims ? &f->args[1].value.integer : NULL;
  for (int i = 0; i < 2; i++) {
    if (!f->grads[i]) continue;
    tocha_tensor *g =
        tocha_private_extreme_backward(f->cx, f->grads[i], self, f->results[i], dims, dim, false);
    out = out ? tocha_add(f->cx, out, g) : g;
  }
  f->out[0] = out;
  return !tocha_failed(f->cx);
}

/* Returns sign(x) |x|^(p - 1), and 0 at x = 0 even if the power is infinite there. */
static tocha_tensor *signed_power(tocha_context *cx, tocha_tensor *x, double p) {
  tocha_tensor *size = tocha_abs(cx, x);
  if (p >= 2) return tocha_mul(cx, x, tocha_pow_scalar(cx, size, tocha_float(p - 2)));
  tocha_tensor *power = tocha_pow_scalar(cx, size, tocha_float(p - 1));
  if (p < 1) power = tocha_zero_where(cx, power, tocha_eq_full(cx, x, tocha_number(tocha_int(0))));
  return tocha_mul(cx, tocha_sign(cx, x), power);
}

/* Returns grad times d |x|_p = sign(x) (|x| / |x|_p)^(p - 1). For infinite p the elements of that
 * size share grad equally. In 16-bit types the order of the steps affects the result. */
tocha_tensor *tocha_op__norm_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                      tocha_tensor *result, double ord, int dim_count,
                                      const int64_t *dim) {
  uint64_t mask = mask_of(self->ndim, dim_count, dim);
  grad = kept(cx, grad, self->ndim, mask);
  result = kept(cx, result, self->ndim, mask);
  if (ord == 1) return tocha_mul(cx, tocha_sign(cx, self), grad);
  if (isinf(ord)) {
    tocha_tensor *size = tocha_abs(cx, self);
    return tocha_mul(cx, tocha_sign(cx, self),
                     tocha_private_extreme_backward(cx, grad, size, result, dim_count, dim, true));
  }
  tocha_tensor *flat = tocha_eq_full(cx, result, tocha_number(tocha_int(0)));
  if (ord == 2) return tocha_mul(cx, grad, tocha_zero_where(cx, tocha_div(cx, self, result), flat));
  tocha_tensor *power = signed_power(cx, self, ord);
  if (ord < 1) {
    tocha_tensor *root = tocha_pow_scalar(cx, result, tocha_float(1 - ord));
    return tocha_mul(cx, tocha_mul(cx, power, grad), root);
  }
  grad = tocha_div(cx, grad, tocha_pow_scalar(cx, result, tocha_float(ord - 1)));
  return tocha_mul(cx, power, tocha_zero_where(cx, grad, flat));
}

/* Writes the gradient of vector_norm. The count of nonzero elements (ord = 0) has none. The
 * operator's arguments: self, ord, dim, keepdim, dtype. */
bool tocha_vector_norm_backward(tocha_backward_frame *f) {
  double ord = f->args[1].value.real;
  if (ord == 0 || !f->grads[0]) return true;
  f->out[0] = tocha_private_norm_backward(f->cx, f->grads[0], f->args[0].tensor, f->results[0], ord,
                                          f->args[2].count, f->args[2].value.ints);
  return f->out[0] != NULL;
}
