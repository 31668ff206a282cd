/* margin.c: losses of margins, distances and distributions of torch.nn.functional, composed of operators. */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "loss/implementations.h"
#include "ops/loss/reductions.h"
#include "tensor/iterator.h"
#include "tensor/copy.h"
#include "tocha/ops/private/soft_margin_loss.h"
#include "tocha/ops/add.h"
#include "tocha/ops/any.h"
#include "tocha/ops/clamp_min.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/le.h"
#include "tocha/ops/log.h"
#include "tocha/ops/log1p.h"
#include "tocha/ops/logsigmoid.h"
#include "tocha/ops/lt.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/minimum.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/norm.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/rsub.h"
#include "tocha/ops/sqrt.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/where.h"
#include "tocha/ops/zeros_like.h"

static const double pi = 3.14159265358979323846;

static tocha_operand number(double x) { return tocha_number(tocha_float(x)); }

static tocha_tensor *plus(tocha_context *cx, tocha_tensor *t, double x) {
  return tocha_add_full(cx, t, number(x), tocha_int(1));
}
static tocha_tensor *times(tocha_context *cx, tocha_tensor *t, double x) {
  return tocha_mul_full(cx, t, number(x));
}
static tocha_tensor *over_last(tocha_context *cx, tocha_tensor *t) {
  int64_t last = -1;
  return tocha_sum_dim_IntList(cx, t, 1, &last, false);
}

/* --- margins ------------------------------------------------------------------------------------------- */

static bool check_cosine(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b,
                         const tocha_tensor *target) {
  char x[256], y[256];
  int dims = target->ndim + 1;
  if (target->ndim > 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "0D or 1D target tensor expected, multi-target not supported");
  else if (a->ndim != dims || b->ndim != dims)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%dD target tensor expects %dD input tensors, but found inputs with sizes %s and "
               "%s.",
               target->ndim, dims, tocha_shape_text(a->ndim, a->sizes, x, sizeof x),
               tocha_shape_text(b->ndim, b->sizes, y, sizeof y));
  return !tocha_failed(cx);
}

/* Returns loss at elements whose target is `label`, and 0 elsewhere. */
static tocha_tensor *where_label(tocha_context *cx, tocha_tensor *loss, tocha_tensor *target,
                                 int64_t label) {
  tocha_tensor *zeros = tocha_zeros_like(cx, loss);
  if (!loss || !zeros) return NULL;
  return tocha_where(cx, tocha_eq_full(cx, target, tocha_number(tocha_int(label))), loss, zeros);
}

tocha_tensor *tocha_op_cosine_embedding_loss(tocha_context *cx, tocha_tensor *input1,
                                             tocha_tensor *input2, tocha_tensor *target,
                                             double margin, const bool *size_average,
                                             const bool *reduce, const char *reduction) {
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0 || !check_cosine(cx, input1, input2, target)) return NULL;
  const double minimum = 1e-12;
  tocha_tensor *product = over_last(cx, tocha_mul(cx, input1, input2));
  tocha_tensor *first = plus(cx, over_last(cx, tocha_mul(cx, input1, input1)), minimum);
  tocha_tensor *second = plus(cx, over_last(cx, tocha_mul(cx, input2, input2)), minimum);
  tocha_tensor *cosine = tocha_div(cx, product, tocha_sqrt(cx, tocha_mul(cx, first, second)));
  tocha_tensor *near = tocha_rsub_full(cx, cosine, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *far = tocha_sub_full(cx, cosine, number(margin), tocha_int(1));
  far = tocha_clamp_min(cx, far, tocha_int(0));
  tocha_tensor *loss =
      tocha_add(cx, where_label(cx, near, target, 1), where_label(cx, far, target, -1));
  return tocha_reduced_loss(cx, loss, kind);
}

tocha_tensor *tocha_margin_ranking_loss_of(tocha_context *cx, tocha_tensor *input1,
                                           tocha_tensor *input2, tocha_tensor *target,
                                           double margin, int kind) {
  tocha_tensor *loss = tocha_mul(cx, tocha_neg(cx, target), tocha_sub(cx, input1, input2));
  return tocha_reduced_loss(cx, tocha_clamp_min(cx, plus(cx, loss, margin), tocha_int(0)), kind);
}

tocha_tensor *tocha_op_margin_ranking_loss(tocha_context *cx, tocha_tensor *input1,
                                           tocha_tensor *input2, tocha_tensor *target,
                                           double margin, const bool *size_average,
                                           const bool *reduce, const char *reduction) {
  char a[256], b[256], c[256];
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  if (input1->ndim != input2->ndim || input1->ndim != target->ndim)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
        "torch.Size(%s), input2: torch.Size(%s), target: torch.Size(%s) ",
        tocha_shape_text(input1->ndim, input1->sizes, a, sizeof a),
        tocha_shape_text(input2->ndim, input2->sizes, b, sizeof b),
        tocha_shape_text(target->ndim, target->sizes, c, sizeof c));
  return tocha_margin_ranking_loss_of(cx, input1, input2, target, margin, kind);
}

tocha_tensor *tocha_op_soft_margin_loss(tocha_context *cx, tocha_tensor *input,
                                        tocha_tensor *target, const bool *size_average,
                                        const bool *reduce, const char *reduction) {
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  return kind < 0 ? NULL : tocha_private_soft_margin_loss(cx, input, target, kind);
}

/* Returns exp(-target * self). */
static tocha_tensor *soft_margin(tocha_context *cx, tocha_tensor *self, tocha_tensor *target) {
  return tocha_exp(cx, tocha_mul(cx, tocha_neg(cx, self), target));
}

tocha_tensor *tocha_op__soft_margin_loss(tocha_context *cx, tocha_tensor *self,
                                         tocha_tensor *target, int64_t reduction) {
  tocha_tensor *both[] = {self, target};
  int64_t sizes[TOCHA_MAX_DIMS];
  char own[256], other[256];
  int ndim;
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  if (ndim != self->ndim || memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "output with shape %s doesn't match the broadcast shape %s",
                      tocha_shape_text(self->ndim, self->sizes, own, sizeof own),
                      tocha_shape_text(ndim, sizes, other, sizeof other));
  if (!tocha_dtype_is_floating(self->dtype) && self->dtype != TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "result type Float can't be cast to the desired output type %s",
                      tocha_dtype_scalar_type(self->dtype));
  tocha_tensor *loss = tocha_log1p(cx, soft_margin(cx, self, target));
  return tocha_reduced_loss(cx, loss ? tocha_as_dtype(cx, loss, self->dtype) : NULL,
                            (int)reduction);
}

tocha_tensor *tocha_op__soft_margin_loss_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                  tocha_tensor *self, tocha_tensor *target,
                                                  int64_t reduction) {
  tocha_tensor *z = soft_margin(cx, self, target);
  tocha_tensor *slope = tocha_div(cx, tocha_mul(cx, tocha_neg(cx, target), z), plus(cx, z, 1));
  if (reduction == TOCHA_REDUCTION_MEAN)
    slope = tocha_div_full(cx, slope, tocha_number(tocha_int(self->numel)));
  return tocha_mul(cx, slope, grad_output);
}

tocha_tensor *tocha_op_multilabel_soft_margin_loss(tocha_context *cx, tocha_tensor *input,
                                                   tocha_tensor *target, tocha_tensor *weight,
                                                   const bool *size_average, const bool *reduce,
                                                   const char *reduction) {
  bool old = size_average || reduce;
  int kind = old ? tocha_reduction_of(cx, size_average, reduce, reduction) : 0;
  if (kind < 0) return NULL;
  tocha_tensor *loss = tocha_mul(cx, target, tocha_logsigmoid(cx, input));
  tocha_tensor *rest = tocha_rsub_full(cx, target, tocha_number(tocha_int(1)), tocha_int(1));
  tocha_tensor *other = tocha_mul(cx, rest, tocha_logsigmoid(cx, tocha_neg(cx, input)));
  loss = tocha_neg(cx, tocha_add(cx, loss, other));
  if (weight) loss = tocha_mul(cx, loss, weight);
  int64_t classes, along = input->ndim - 1; /* input's last dimension, even if target has more */
  if (!loss || !tocha_size_of(cx, input, -1, &classes)) return NULL;
  loss = tocha_sum_dim_IntList(cx, loss, 1, &along, false);
  loss = tocha_div_full(cx, loss, tocha_number(tocha_int(classes)));
  if (!old && !tocha_is_reduction(cx, reduction, "valid")) return NULL;
  return tocha_reduced_loss(cx, loss, old ? kind : tocha_reduction_of(cx, NULL, NULL, reduction));
}

/* --- distributions --------------------------------------------------------------------------------------- */

static bool is_true(tocha_context *cx, tocha_tensor *t) {
  tocha_scalar value;
  return t && tocha_item(cx, t, &value) && value.value.integer != 0;
}

/* Returns true if var has one dimension of size 1 in which it differs from input. */
static bool is_broadcast(const tocha_tensor *input, const tocha_tensor *var) {
  int64_t sum = 0;
  for (int d = 0; d < input->ndim && var->ndim == input->ndim; d++)
    if (input->sizes[d] != var->sizes[d]) sum += var->sizes[d];
  return var->ndim == input->ndim && sum == 1;
}

static bool is_short(const tocha_tensor *input, const tocha_tensor *var) {
  return var->ndim == input->ndim - 1 &&
         memcmp(var->sizes, input->sizes, (size_t)var->ndim * sizeof *var->sizes) == 0;
}

/* Returns var as a tensor that broadcasts with input, at least eps. The clamp is not recorded. Fails if an element is negative
 * or the sizes do not fit. */
static tocha_tensor *variance(tocha_context *cx, tocha_tensor *input, tocha_operand var, double eps,
                              const char *reduction) {
  tocha_tensor *v = var.tensor;
  bool negative =
      v ? v->device.type != TOCHA_META &&
              is_true(cx, tocha_any(cx, tocha_lt_full(cx, v, tocha_number(tocha_int(0))), 0, NULL,
                                    false))
        : tocha_scalar_real(var.scalar) < 0;
  if (tocha_failed(cx)) return NULL;
  if (negative) return tocha_fail(cx, TOCHA_VALUE_ERROR, "var has negative entry/entries");
  if (!v) v = tocha_mul_full(cx, tocha_ones_like(cx, input), var);
  if (!v) return NULL;
  if (!tocha_same_sizes(v, input)) {
    if (is_short(input, v))
      v = tocha_unsqueeze(cx, v, -1);
    else if (!is_broadcast(input, v))
      return tocha_fail(cx, TOCHA_VALUE_ERROR, "var is of incorrect size");
  }
  if (!tocha_is_reduction(cx, reduction, "valid")) return NULL;
  v = tocha_clone(cx, v);
  bool records = tocha_set_grad_enabled(cx, false);
  tocha_clamp_min_(cx, v, tocha_float(eps));
  tocha_set_grad_enabled(cx, records);
  return v;
}

tocha_tensor *tocha_op_gaussian_nll_loss(tocha_context *cx, tocha_tensor *input,
                                         tocha_tensor *target, tocha_operand var, bool full,
                                         double eps, const char *reduction) {
  if (!var.tensor && var.scalar.kind != TOCHA_SCALAR_FLOAT)
    return tocha_fail(cx, TOCHA_TYPE_ERROR,
                      "any() received an invalid combination of arguments - got (bool), but "
                      "expected one of:");
  tocha_tensor *v = variance(cx, input, var, eps, reduction);
  if (!v) return NULL;
  tocha_tensor *square = tocha_pow_scalar(cx, tocha_sub(cx, input, target), tocha_int(2));
  tocha_tensor *loss = tocha_add(cx, tocha_log(cx, v), tocha_div(cx, square, v));
  loss = times(cx, loss, 0.5);
  if (full) loss = plus(cx, loss, 0.5 * log(2 * pi));
  return tocha_reduced_loss(cx, loss, tocha_reduction_of(cx, NULL, NULL, reduction));
}

/* Returns log(target!) by Stirling's formula if target > 1, else 0. */
static tocha_tensor *stirling(tocha_context *cx, tocha_tensor *target) {
  tocha_tensor *term = tocha_mul(cx, target, tocha_log(cx, target));
  tocha_tensor *root = times(cx, tocha_log(cx, times(cx, target, 2 * pi)), 0.5);
  term = tocha_add(cx, tocha_sub(cx, term, target), root);
  tocha_tensor *small = tocha_le_full(cx, target, tocha_number(tocha_int(1)));
  return tocha_masked_fill_full(cx, term, small, tocha_number(tocha_int(0)));
}

tocha_tensor *tocha_op_poisson_nll_loss(tocha_context *cx, tocha_tensor *input,
                                        tocha_tensor *target, bool log_input, bool full,
                                        const bool *size_average, double eps, const bool *reduce,
                                        const char *reduction) {
  bool old = size_average || reduce;
  if (!old && !tocha_is_reduction(cx, reduction, "a valid value for reduction")) return NULL;
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  tocha_tensor *loss;
  if (log_input)
    loss = tocha_sub(cx, tocha_exp(cx, input), tocha_mul(cx, target, input));
  else
    loss = tocha_sub(cx, input, tocha_mul(cx, target, tocha_log(cx, plus(cx, input, eps))));
  if (full) loss = tocha_add(cx, loss, stirling(cx, target));
  return tocha_reduced_loss(cx, loss, kind);
}

/* --- distances ------------------------------------------------------------------------------------------- */

static tocha_tensor *distance(tocha_context *cx, tocha_tensor *a, tocha_tensor *b, double p,
                              double eps) {
  int64_t last = -1;
  tocha_scalar order = tocha_float(p);
  tocha_tensor *difference = plus(cx, tocha_sub(cx, a, b), eps);
  return tocha_norm(cx, difference, &order, 1, &last, false, TOCHA_NO_DTYPE);
}

tocha_tensor *tocha_triplet_margin_loss_of(tocha_context *cx, tocha_tensor *anchor,
                                           tocha_tensor *positive, tocha_tensor *negative,
                                           double margin, double p, double eps, bool swap,
                                           int kind) {
  if (anchor->ndim != positive->ndim || anchor->ndim != negative->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "The anchor, positive, and negative tensors are expected to have the same "
                      "number of dimensions, but got: anchor %dD, positive %dD, and negative %dD "
                      "inputs",
                      anchor->ndim, positive->ndim, negative->ndim);
  tocha_tensor *near = distance(cx, anchor, positive, p, eps);
  tocha_tensor *far = distance(cx, anchor, negative, p, eps);
  if (swap) far = tocha_minimum(cx, far, distance(cx, positive, negative, p, eps));
  tocha_tensor *loss = tocha_sub(cx, plus(cx, near, margin), far);
  return tocha_reduced_loss(cx, tocha_clamp_min(cx, loss, tocha_int(0)), kind);
}

tocha_tensor *tocha_op_triplet_margin_loss(tocha_context *cx, tocha_tensor *anchor,
                                           tocha_tensor *positive, tocha_tensor *negative,
                                           tocha_scalar margin, double p, double eps, bool swap,
                                           const bool *size_average, const bool *reduce,
                                           const char *reduction) {
  char text[32];
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  if (tocha_scalar_real(margin) <= 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "margin must be greater than 0, got %s",
                      tocha_format_scalar(margin, text));
  return tocha_triplet_margin_loss_of(cx, anchor, positive, negative, tocha_scalar_real(margin), p,
                                      eps, swap, kind);
}
