/* distance.c: distances between rows (cdist, pdist) and norms of slices (renorm,
 * norm_except_dim). */
#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "ops/reduction/kernels.h"
#include "reduction/implementations.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tocha/ops/private/cdist_forward.h"
#include "tocha/ops/private/euclidean_dist.h"
#include "tocha/ops/private/norm_backward.h"
#include "tocha/ops/private/distance_backward.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/add.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/clamp_min.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/gt.h"
#include "tocha/ops/index_add.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/isnan.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/matmul.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/ne.h"
#include "tocha/ops/norm.h"
#include "tocha/ops/norm_except_dim.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/reciprocal.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/sign.h"
#include "tocha/ops/sqrt.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/transpose.h"
#include "tocha/ops/triu_indices.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/vector_norm.h"
#include "tocha/ops/view.h"
#include "tocha/ops/where.h"
#include "tocha/ops/zeros_like.h"

static void *refuse_type(tocha_context *cx, const tocha_tensor *x) {
  return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"cdist\" not implemented for '%s'",
                    tocha_dtype_scalar_type((tocha_dtype)x->dtype));
}

/* Fills out by the kernel. x1 and x2 have the dtype of out. */
static tocha_tensor *find_distances(tocha_context *cx, tocha_tensor *out, tocha_tensor *x1,
                                    tocha_tensor *x2, double p, bool pairs) {
  int last = x1->ndim - 1;
  x1 = tocha_as_rows(cx, x1, TOCHA_NO_DTYPE);
  x2 = pairs ? x1 : tocha_as_rows(cx, x2, TOCHA_NO_DTYPE);
  if (!x1 || !x2) return NULL;
  tocha_stream *s = tocha_stream_of(cx, out->device);
  tocha_distance_args args = {.x1 = tocha_bytes(x1),
                              .x2 = tocha_bytes(x2),
                              .out = tocha_bytes(out),
                              .outputs = out->numel,
                              .rows = x1->sizes[last - 1],
                              .others = x2->sizes[last - 1],
                              .columns = x1->sizes[last],
                              .p = p,
                              .wide = x1->dtype == TOCHA_FLOAT64,
                              .pairs = pairs};
  return s && tocha_launched(cx, s->kernels->reduction->distance(s, &args)) ? out : NULL;
}

tocha_tensor *tocha_op__cdist_forward(tocha_context *cx, tocha_tensor *x1, tocha_tensor *x2,
                                      double p) {
  int64_t sizes[TOCHA_MAX_DIMS];
  int n = x1->ndim;
  memcpy(sizes, x1->sizes, (size_t)n * sizeof *sizes);
  sizes[n - 1] = x2->sizes[n - 2];
  tocha_tensor *out = tocha_new(cx, n, sizes, (tocha_dtype)x1->dtype, x1->device);
  if (!out || !tocha_has_elements(out)) return out;
  if (x1->dtype != TOCHA_FLOAT32 && x1->dtype != TOCHA_FLOAT64) return refuse_type(cx, x1);
  return find_distances(cx, out, x1, x2, p, false);
}

/* --- cdist ------------------------------------------------------------------------------------------ */

static bool check_rows(tocha_context *cx, const tocha_tensor *x1, const tocha_tensor *x2) {
  const tocha_tensor *both[2] = {x1, x2};
  for (int i = 0; i < 2; i++)
    if (both[i]->ndim < 2)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "cdist only supports at least 2D tensors, X%d got: %dD", i + 1,
                        both[i]->ndim);
  if (x1->sizes[x1->ndim - 1] != x2->sizes[x2->ndim - 1])
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "X1 and X2 must have the same number of columns. X1: %lld X2: %lld",
                      (long long)x1->sizes[x1->ndim - 1], (long long)x2->sizes[x2->ndim - 1]);
  for (int i = 0; i < 2; i++)
    if (!tocha_dtype_is_floating((tocha_dtype)both[i]->dtype))
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "cdist only supports floating-point dtypes, X%d got: %s", i + 1,
                        tocha_dtype_scalar_type((tocha_dtype)both[i]->dtype));
  if (x1->dtype != x2->dtype && x1->dtype != TOCHA_FLOAT32 && x1->dtype != TOCHA_FLOAT64)
    return refuse_type(cx, x1);
  if (x1->dtype != x2->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type %s but found %s",
                      tocha_dtype_scalar_type((tocha_dtype)x1->dtype),
                      tocha_dtype_scalar_type((tocha_dtype)x2->dtype));
  return true;
}

/* Expands x1 and x2 to the batch dimensions that they broadcast to. */
static bool spread_batches(tocha_context *cx, tocha_tensor **x1, tocha_tensor **x2) {
  tocha_tensor **both[2] = {x1, x2}, *batches[2];
  int64_t sizes[TOCHA_MAX_DIMS];
  int n;
  for (int i = 0; i < 2; i++) {
    const tocha_tensor *x = *both[i];
    if (!(batches[i] = tocha_alias(cx, x, x->ndim - 2, x->sizes, x->strides, x->offset)))
      return false;
  }
  if (!tocha_broadcast_sizes(cx, 2, batches, &n, sizes)) return false;
  for (int i = 0; i < 2; i++) {
    const tocha_tensor *x = *both[i];
    memcpy(sizes + n, x->sizes + x->ndim - 2, 2 * sizeof *sizes);
    bool same = x->ndim == n + 2 && memcmp(x->sizes, sizes, (size_t)x->ndim * sizeof *sizes) == 0;
    /* the tensor itself if possible: in-place changes are detected on it, not on a view */
    if (!same && !(*both[i] = tocha_expand(cx, *both[i], n + 2, sizes))) return false;
  }
  return true;
}

/* Sets *product if the distances may be computed by a matrix product. Fails if the mode is
 * unknown. */
static bool read_mode(tocha_context *cx, const char *mode, const tocha_tensor *x1,
                      const tocha_tensor *x2, bool *product) {
  enum { MANY_ROWS = 25 };
  if (strcmp(mode, "use_mm_for_euclid_dist_if_necessary") == 0)
    *product = x1->ndim > 1 && x2->ndim > 1 &&
               (x1->sizes[x1->ndim - 2] > MANY_ROWS || x2->sizes[x2->ndim - 2] > MANY_ROWS);
  else if (strcmp(mode, "use_mm_for_euclid_dist") == 0)
    *product = true;
  else if (strcmp(mode, "donot_use_mm_for_euclid_dist") == 0)
    *product = false;
  else
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "%s is not a valid value for compute_mode", mode);
  return true;
}

tocha_tensor *tocha_op_cdist(tocha_context *cx, tocha_tensor *x1, tocha_tensor *x2, double p,
                             const char *compute_mode) {
  bool product = false;
  if (!read_mode(cx, compute_mode, x1, x2, &product) || !check_rows(cx, x1, x2)) return NULL;
  if (!(p >= 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "cdist only supports non-negative p values");
  if (!spread_batches(cx, &x1, &x2)) return NULL;
  bool columns = x1->sizes[x1->ndim - 1] > 0;
  return product && p == 2 && columns ? tocha_private_euclidean_dist(cx, x1, x2)
                                      : tocha_private_cdist_forward(cx, x1, x2, p);
}

/* Returns t with `number` at the elements whose mask is true. */
static tocha_tensor *filled(tocha_context *cx, tocha_tensor *t, tocha_tensor *mask, double number) {
  return t && mask ? tocha_masked_fill_full(cx, t, mask, tocha_number(tocha_float(number))) : NULL;
}

/* Returns (|d| / length)^(p - 1) with the sign of d. Zeros are replaced by 1 before they are
 * divisors or raised to a power, so that the derivatives of the result are not NaN there. */
static tocha_tensor *slope_of_powers(tocha_context *cx, tocha_tensor *difference,
                                     tocha_tensor *length, double p) {
  tocha_operand zero = tocha_number(tocha_int(0));
  tocha_tensor *none = tocha_eq_full(cx, length, zero);
  length = filled(cx, length, none, 1);
  if (p == 2) return filled(cx, tocha_div(cx, difference, length), none, 0);
  tocha_tensor *size = tocha_abs(cx, difference);
  if (p < 2) size = filled(cx, size, none = tocha_eq_full(cx, size, zero), 1);
  tocha_tensor *slope = tocha_mul(cx, tocha_sign(cx, difference),
                                  tocha_div(cx, tocha_pow_scalar(cx, size, tocha_float(p - 1)),
                                            tocha_pow_scalar(cx, length, tocha_float(p - 1))));
  return filled(cx, slope, none, 0);
}

/* Returns `slope`, with NaN at the elements where `unknown` is NaN, also in its derivatives. */
static tocha_tensor *keep_nan(tocha_context *cx, tocha_tensor *slope, tocha_tensor *difference,
                              tocha_tensor *unknown) {
  tocha_tensor *mask = tocha_isnan(cx, unknown);
  tocha_tensor *factor = filled(cx, tocha_ones_like(cx, difference), mask, NAN);
  return factor ? tocha_mul(cx, tocha_where(cx, mask, difference, slope), factor) : NULL;
}

/* Returns the derivative of a distance by the difference of two rows. At a distance of 0 it is
 * 0. */
static tocha_tensor *slope_of(tocha_context *cx, tocha_tensor *difference, tocha_tensor *length,
                              double p) {
  if (p == 0) return tocha_zeros_like(cx, difference);
  if (p != 1 && !isinf(p)) return slope_of_powers(cx, difference, length, p);
  tocha_tensor *sign = tocha_sign(cx, difference);
  if (p == 1) return keep_nan(cx, sign, difference, difference);
  tocha_tensor *apart = tocha_sub(cx, tocha_abs(cx, difference), length);
  tocha_tensor *less = apart ? tocha_ne_full(cx, apart, tocha_number(tocha_int(0))) : NULL;
  return keep_nan(cx, filled(cx, sign, less, 0), difference, apart);
}

/* Returns true if a kernel computes the gradient in one step. The kernel records no graph, so a
 * gradient of the gradient needs the operators. */
static bool has_backward(tocha_context *cx, const tocha_tensor *x, double p) {
  tocha_stream *s = tocha_stream_of(cx, x->device);
  return s && s->kernels->reduction->distance_backward && !tocha_grad_enabled(cx) && p > 0 &&
         (x->dtype == TOCHA_FLOAT32 || x->dtype == TOCHA_FLOAT64);
}

/* Returns the gradient of x1 (..., rows, columns) from its distances to x2 (..., others, columns).
 * args: the strides of grad and norms. */
static tocha_tensor *distance_backward(tocha_context *cx, tocha_distance_backward_args *args,
                                       tocha_tensor *grad, tocha_tensor *x1, tocha_tensor *x2,
                                       tocha_tensor *norms) {
  int n = x1->ndim;
  tocha_dtype type = (tocha_dtype)x1->dtype;
  tocha_tensor *out = tocha_new(cx, n, x1->sizes, type, x1->device);
  if (!out || !tocha_has_elements(out)) return out;
  x1 = tocha_as_rows(cx, x1, type);
  x2 = tocha_as_rows(cx, x2, type);
  grad = tocha_as_rows(cx, grad, type);
  norms = tocha_as_rows(cx, norms, type);
  tocha_stream *s = tocha_stream_of(cx, out->device);
  if (!x1 || !x2 || !grad || !norms || !s) return NULL;
  args->x1 = tocha_bytes(x1);
  args->x2 = tocha_bytes(x2);
  args->grad = tocha_bytes(grad);
  args->norms = tocha_bytes(norms);
  args->out = tocha_bytes(out);
  args->rows = x1->sizes[n - 2];
  args->others = x2->sizes[n - 2];
  args->columns = x1->sizes[n - 1];
  args->batches = out->numel / (args->rows * args->columns);
  args->wide = type == TOCHA_FLOAT64;
  return tocha_launched(cx, s->kernels->reduction->distance_backward(s, args)) ? out : NULL;
}

tocha_tensor *tocha_op__distance_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *x1,
                                          tocha_tensor *x2, tocha_tensor *result, double p,
                                          bool of_second) {
  if (has_backward(cx, x1, p) && x1->ndim == x2->ndim) {
    int64_t others = x2->sizes[x2->ndim - 2];
    tocha_distance_backward_args args = {
        .p = p, .row_step = of_second ? 1 : others, .other_step = of_second ? others : 1};
    return of_second ? distance_backward(cx, &args, grad, x2, x1, result)
                     : distance_backward(cx, &args, grad, x1, x2, result);
  }
  tocha_tensor *difference =
      tocha_sub(cx, tocha_unsqueeze(cx, x1, -2), tocha_unsqueeze(cx, x2, -3));
  tocha_tensor *slope =
      difference ? slope_of(cx, difference, tocha_unsqueeze(cx, result, -1), p) : NULL;
  if (!slope) return NULL;
  int64_t dim = of_second ? -3 : -2;
  if (of_second) slope = tocha_mul_full(cx, slope, tocha_number(tocha_int(-1)));
  return tocha_sum_dim_IntList(cx, tocha_mul(cx, slope, tocha_unsqueeze(cx, grad, -1)), 1, &dim,
                               false);
}

static tocha_tensor *roots_of_product(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  tocha_tensor *squares = tocha_matmul(cx, a, b);
  return squares ? tocha_sqrt(cx, tocha_clamp_min(cx, squares, tocha_int(0))) : NULL;
}

/* Computes the roots in parts of the rows. A part is small enough to stay in the cache and to react
 * to interrupts. */
static tocha_tensor *roots_by_parts(tocha_context *cx, tocha_tensor *a, tocha_tensor *b) {
  enum { PART = 1 << 20 };
  int64_t sizes[TOCHA_MAX_DIMS], rows = a->sizes[a->ndim - 2], step;
  memcpy(sizes, a->sizes, (size_t)a->ndim * sizeof *sizes);
  sizes[a->ndim - 1] = b->sizes[b->ndim - 1];
  tocha_tensor *out = tocha_new(cx, a->ndim, sizes, (tocha_dtype)a->dtype, a->device);
  if (!out) return NULL;
  step = 1 + PART / (1 + out->numel / rows);
  for (int64_t at = 0; at < rows; at += step) {
    int64_t n = step < rows - at ? step : rows - at;
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *roots = roots_of_product(cx, tocha_narrow(cx, a, -2, at, n), b);
    tocha_tensor *to = roots ? tocha_narrow(cx, out, -2, at, n) : NULL;
    bool done = to && tocha_copy_data(cx, to, roots) && !tocha_interrupted(cx);
    tocha_scope_end(cx, scope, NULL);
    if (!done) return NULL;
  }
  return out;
}

/* Computes |x|^2 - 2 x y + |y|^2 as one matrix product. */
tocha_tensor *tocha_op__euclidean_dist(tocha_context *cx, tocha_tensor *x1, tocha_tensor *x2) {
  int64_t last = -1;
  tocha_tensor *square1 = tocha_sum_dim_IntList(cx, tocha_mul(cx, x1, x1), 1, &last, true);
  tocha_tensor *square2 = tocha_sum_dim_IntList(cx, tocha_mul(cx, x2, x2), 1, &last, true);
  if (!square1 || !square2) return NULL;
  tocha_tensor *left[3] = {tocha_mul_full(cx, x1, tocha_number(tocha_int(-2))), square1,
                           tocha_ones_like(cx, square1)};
  tocha_tensor *right[3] = {x2, tocha_ones_like(cx, square2), square2};
  if (tocha_failed(cx)) return NULL;
  tocha_tensor *a = tocha_cat(cx, 3, left, -1), *b = tocha_cat(cx, 3, right, -1);
  b = a && b ? tocha_transpose(cx, b, -2, -1) : NULL;
  if (!b) return NULL;
  double size = (double)a->numel / (double)a->sizes[a->ndim - 1] * (double)b->sizes[b->ndim - 1];
  bool parts = size > 1 << 22 && a->device.type == TOCHA_CPU;
  return parts ? roots_by_parts(cx, a, b) : roots_of_product(cx, a, b);
}

bool tocha_euclidean_rule(tocha_backward_frame *f) {
  tocha_context *cx = f->cx;
  tocha_tensor *x1 = f->args[0].tensor, *x2 = f->args[1].tensor, *result = f->results[0];
  tocha_operand zero = tocha_number(tocha_int(0));
  int64_t last = -1, before = -2;
  if (!f->grads[0]) return true;
  tocha_tensor *none = tocha_eq_full(cx, result, zero);
  tocha_tensor *ratio = tocha_div(cx, f->grads[0], result);
  ratio = ratio && none ? tocha_masked_fill_full(cx, ratio, none, zero) : NULL;
  if (!ratio) return false;
  if (tocha_wants_grad(f, 0))
    f->out[0] = tocha_sub(cx, tocha_mul(cx, x1, tocha_sum_dim_IntList(cx, ratio, 1, &last, true)),
                          tocha_matmul(cx, ratio, x2));
  if (tocha_wants_grad(f, 1)) {
    tocha_tensor *sums = tocha_sum_dim_IntList(cx, ratio, 1, &before, false);
    f->out[1] = tocha_sub(cx, tocha_mul(cx, x2, tocha_unsqueeze(cx, sums, -1)),
                          tocha_matmul(cx, tocha_transpose(cx, ratio, -2, -1), x1));
  }
  return !tocha_failed(cx);
}

/* --- pdist ------------------------------------------------------------------------------------------ */

/* Writes the row numbers of each pair into numbers[2] (pairs), and the rows into ends[2] (pairs, 1,
 * columns). */
static bool pairs_of(tocha_context *cx, tocha_tensor *self, tocha_tensor *numbers[2],
                     tocha_tensor *ends[2]) {
  int64_t n = self->sizes[0];
  tocha_tensor *pairs = tocha_triu_indices_full(cx, n, n, 1, TOCHA_INT64, self->device, false);
  for (int i = 0; i < 2 && pairs; i++) {
    numbers[i] = tocha_alias(cx, pairs, 1, &pairs->sizes[1], &pairs->strides[1],
                             pairs->offset + i * pairs->strides[0]);
    tocha_tensor *rows = numbers[i] ? tocha_index_select(cx, self, 0, numbers[i]) : NULL;
    ends[i] = rows ? tocha_unsqueeze(cx, rows, 1) : NULL;
  }
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op__pdist_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                       tocha_tensor *result, double p) {
  tocha_tensor *numbers[2], *ends[2], *sum = tocha_zeros_like(cx, self);
  const int64_t column[] = {-1, 1, 1};
  if (result->numel == 0 || !sum) return sum;
  if (has_backward(cx, self, p)) {
    tocha_distance_backward_args args = {.p = p, .pairs = true};
    return distance_backward(cx, &args, grad, self, self, result);
  }
  if (!pairs_of(cx, self, numbers, ends) || !(grad = tocha_reshape(cx, grad, 3, column)) ||
      !(result = tocha_reshape(cx, result, 3, column)))
    return NULL;
  for (int i = 0; i < 2 && sum; i++) {
    tocha_tensor *part =
        tocha_private_distance_backward(cx, grad, ends[0], ends[1], result, p, i == 1);
    part = part ? tocha_squeeze_dim(cx, part, 1) : NULL;
    sum = part ? tocha_index_add(cx, sum, 0, numbers[i], part) : NULL;
  }
  return sum;
}

tocha_tensor *tocha_op_pdist(tocha_context *cx, tocha_tensor *self, double p) {
  if (self->ndim != 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pdist only supports 2D tensors, got: %dD",
                      self->ndim);
  if (!tocha_dtype_is_floating((tocha_dtype)self->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pdist only supports floating-point dtypes");
  if (!(p >= 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pdist only supports non-negative p values");
  int64_t n = self->sizes[0];
  if (n > INT32_MAX) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pdist: too many rows");
  if (n > 1 && self->dtype != TOCHA_FLOAT32 && self->dtype != TOCHA_FLOAT64)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"pdist\" not implemented for '%s'",
                      tocha_dtype_scalar_type((tocha_dtype)self->dtype));
  int64_t pairs = n * (n - 1) / 2;
  tocha_tensor *out = tocha_new(cx, 1, &pairs, (tocha_dtype)self->dtype, self->device);
  if (!out || !tocha_has_elements(out)) return out;
  return find_distances(cx, out, self, self, p, true);
}

/* --- renorm ----------------------------------------------------------------------------------------- */

/* Returns the norms of the slices along dim, in the type of the computation. */
static tocha_tensor *norms(tocha_context *cx, tocha_tensor *self, double p, int64_t dim,
                           bool keepdim) {
  int64_t others[TOCHA_MAX_DIMS];
  int n = 0;
  for (int d = 0; d < self->ndim; d++)
    if (d != dim) others[n++] = d;
  tocha_dtype type = self->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  return tocha_vector_norm_full(cx, self, p, n, others, keepdim,
                                self->dtype == type ? TOCHA_NO_DTYPE : type);
}

tocha_tensor *tocha_op_renorm(tocha_context *cx, tocha_tensor *self, tocha_scalar p, int64_t dim,
                              tocha_scalar maxnorm) {
  double ord = tocha_scalar_real(p), maximum = tocha_scalar_real(maxnorm);
  if (!(ord > 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "renorm: non-positive-norm not supported");
  if (!(maximum >= 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "renorm: expected maxnorm to be >= 0 but got %g",
                      maximum);
  if (self->ndim < 2)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "renorm: input needs at least 2 dimensions, got %d dimensions", self->ndim);
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  tocha_tensor *norm = norms(cx, self, ord, dim, true);
  if (!norm) return NULL;
  tocha_operand limit = tocha_number(tocha_float(maximum));
  tocha_tensor *over = tocha_gt_full(cx, norm, limit);
  tocha_tensor *factor = tocha_add_full(cx, norm, tocha_number(tocha_float(1e-7)), tocha_int(1));
  factor = tocha_reciprocal(cx, factor);
  factor = factor ? tocha_mul_full(cx, factor, limit) : NULL;
  if (!factor || !over) return NULL;
  factor = tocha_where_full(cx, over, tocha_operand_of(factor), tocha_number(tocha_int(1)));
  return factor ? tocha_mul(cx, self, tocha_as_dtype(cx, factor, (tocha_dtype)self->dtype)) : NULL;
}

/* Returns the gradient of renorm. With n the norm and s = maxnorm / (n + 1e-7), it is s (grad - n'
 * sum(self * grad) / (n + 1e-7)) for the slices that were scaled, else grad. */
tocha_tensor *tocha_op__renorm_backward(tocha_context *cx, tocha_tensor *grad, tocha_tensor *self,
                                        tocha_scalar p, int64_t dim, tocha_scalar maxnorm) {
  int64_t others[TOCHA_MAX_DIMS];
  int n = 0;
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return NULL;
  for (int d = 0; d < self->ndim; d++)
    if (d != dim) others[n++] = d;
  double ord = tocha_scalar_real(p);
  tocha_operand limit = tocha_number(maxnorm);
  tocha_tensor *norm = norms(cx, self, ord, dim, true);
  tocha_tensor *sums = tocha_sum_dim_IntList(cx, tocha_mul(cx, self, grad), n, others, true);
  if (!norm || !sums) return NULL;
  tocha_tensor *by_norm = tocha_private_norm_backward_full(cx, sums, self, norm, ord, n, others);
  tocha_tensor *inverse =
      tocha_reciprocal(cx, tocha_add_full(cx, norm, tocha_number(tocha_float(1e-7)), tocha_int(1)));
  tocha_tensor *inner = tocha_sub(cx, grad, tocha_mul(cx, inverse, by_norm));
  tocha_tensor *scaled = inverse ? tocha_mul(cx, tocha_mul_full(cx, inverse, limit), inner) : NULL;
  tocha_tensor *over = tocha_gt_full(cx, norm, limit);
  if (!scaled || !over) return NULL;
  scaled = tocha_as_dtype(cx, scaled, (tocha_dtype)grad->dtype);
  return scaled ? tocha_where_full(cx, over, tocha_operand_of(scaled), tocha_operand_of(grad))
                : NULL;
}

/* --- norm_except_dim ---------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_norm_except_dim(tocha_context *cx, tocha_tensor *v, int64_t pow,
                                       int64_t dim) {
  tocha_scalar ord = tocha_int(pow);
  if (dim == -1) return tocha_norm(cx, v, &ord, 0, NULL, false, TOCHA_NO_DTYPE);
  bool first = dim == 0, last = !first && dim == v->ndim - 1;
  if (!first && !last) {
    tocha_tensor *turned = tocha_transpose(cx, v, 0, dim);
    return tocha_transpose(cx, tocha_norm_except_dim(cx, turned, pow, 0), 0, dim);
  }
  int64_t sizes[TOCHA_MAX_DIMS], length, over = first;
  if (!tocha_size_of(cx, v, (int)dim, &length)) return NULL;
  for (int d = 0; d < v->ndim; d++) sizes[d] = 1;
  sizes[dim] = length;
  const int64_t matrix[2] = {first ? length : -1, first ? -1 : length};
  tocha_tensor *norm = tocha_view(cx, tocha_contiguous(cx, v), 2, matrix);
  norm = tocha_norm(cx, norm, &ord, 1, &over, false, TOCHA_NO_DTYPE);
  return tocha_view(cx, norm, v->ndim, sizes);
}
