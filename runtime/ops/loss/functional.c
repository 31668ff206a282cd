/* functional.c: the losses of torch.nn.functional: reductions by name, checks, warnings. These functions record gradients
 * through the operators of loss.c, nll_loss.c and others. */
#include <math.h>
#include <string.h>

#include "tocha/amp.h"
#include "ops/loss/reductions.h"
#include "ops/loss/loss.h"
#include "loss/implementations.h"
#include "tensor/iterator.h"
#include "tocha/ops/private/bce_with_logits.h"
#include "tocha/ops/private/binary_cross_entropy.h"
#include "tocha/ops/private/div_number.h"
#include "tocha/ops/private/huber_loss.h"
#include "tocha/ops/private/mse_loss.h"
#include "tocha/ops/private/nll_loss.h"
#include "tocha/ops/private/nll_loss2d.h"
#include "tocha/ops/private/smooth_l1_loss.h"
#include "tocha/ops/abs.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/exp.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/full_like.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/log_softmax.h"
#include "tocha/ops/logical_not.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/pow.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/ones_like.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/view.h"
#include "tocha/ops/xlogy.h"
#include "tocha/ops/zero_where.h"

typedef long long ll;

/* --- arguments ------------------------------------------------------------------------------------------- */

/* Returns the reduction of a weighted loss, for which PyTorch's error has other words. Returns -1 on failure. */
static int weighted_reduction(tocha_context *cx, const char *name) {
  if (strcmp(name, "none") == 0 || strcmp(name, "mean") == 0 || strcmp(name, "sum") == 0)
    return tocha_reduction_of(cx, NULL, NULL, name);
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "Invalid reduction mode: %s. Expected one of 'none', 'mean', 'sum'.", name);
  return -1;
}

/* Warns if input and target differ in their sizes. */
static void warn_sizes(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *target) {
  char a[256], b[256];
  if (tocha_same_sizes(input, target)) return;
  tocha_warn(cx,
             "Using a target size (torch.Size(%s)) that is different to the input size "
             "(torch.Size(%s)). This will likely lead to incorrect results due to "
             "broadcasting. Please ensure they have the same size.",
             tocha_shape_text(target->ndim, target->sizes, a, sizeof a),
             tocha_shape_text(input->ndim, input->sizes, b, sizeof b));
}

/* Warns if the sizes differ, and fails if they do not broadcast. PyTorch broadcasts input and target before all other checks. */
static bool check_pair(tocha_context *cx, tocha_tensor *input, tocha_tensor *target) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  if (tocha_same_sizes(input, target)) return true;
  warn_sizes(cx, input, target);
  return tocha_broadcast_sizes(cx, 2, (tocha_tensor *[]){input, target}, &ndim, sizes);
}

/* Returns input - target. Tensors of different dtypes and dimensions are expanded first, so that both dtypes count alike in the
 * promotion. */
static tocha_tensor *difference(tocha_context *cx, tocha_tensor *input, tocha_tensor *target) {
  tocha_tensor *both[2] = {input, target};
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  if (input->dtype != target->dtype && input->ndim != target->ndim) {
    if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
    input = tocha_expand(cx, input, ndim, sizes);
    target = tocha_expand(cx, target, ndim, sizes);
  }
  return tocha_sub(cx, input, target);
}

/* Returns weight * loss, reduced. The mean divides by the sum of the weights. */
static tocha_tensor *weighted(tocha_context *cx, tocha_tensor *loss, tocha_tensor *weight,
                              const char *name) {
  int reduction = loss ? weighted_reduction(cx, name) : -1;
  if (reduction < 0) return NULL;
  tocha_tensor *product = tocha_mul(cx, loss, weight);
  if (reduction == TOCHA_REDUCTION_NONE || !product) return product;
  tocha_tensor *total = tocha_sum(cx, product);
  if (reduction == TOCHA_REDUCTION_SUM) return total;
  return tocha_div(cx, total, tocha_sum(cx, weight));
}

static bool check_sizes(tocha_context *cx, const tocha_tensor *weight, const tocha_tensor *input) {
  if (!weight || tocha_same_sizes(weight, input)) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "Weights and input must have the same size.");
  return false;
}

/* --- distances ------------------------------------------------------------------------------------------- */

tocha_tensor *tocha_op_mse_loss(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                                const bool *size_average, const bool *reduce, const char *reduction,
                                tocha_tensor *weight) {
  if (!check_pair(cx, input, target) || !check_sizes(cx, weight, input)) return NULL;
  if (weight) {
    tocha_tensor *apart = difference(cx, input, target);
    return weighted(cx, tocha_pow_scalar(cx, apart, tocha_int(2)), weight, reduction);
  }
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  return kind < 0 ? NULL : tocha_private_mse_loss(cx, input, target, kind);
}

tocha_tensor *tocha_op_l1_loss(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                               const bool *size_average, const bool *reduce, const char *reduction,
                               tocha_tensor *weight) {
  if (!check_pair(cx, input, target) || !check_sizes(cx, weight, input)) return NULL;
  int kind = weight ? 0 : tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  tocha_tensor *loss = tocha_abs(cx, difference(cx, input, target));
  return weight ? weighted(cx, loss, weight, reduction) : tocha_reduced_loss(cx, loss, kind);
}

tocha_tensor *tocha_op_smooth_l1_loss(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                                      const bool *size_average, const bool *reduce,
                                      const char *reduction, double beta) {
  if (!check_pair(cx, input, target)) return NULL;
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  if (!(beta >= 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) return tocha_reduced_loss(cx, tocha_abs(cx, difference(cx, input, target)), kind);
  return tocha_private_smooth_l1_loss(cx, input, target, kind, beta);
}

tocha_tensor *tocha_op_huber_loss(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                                  const char *reduction, double delta, tocha_tensor *weight) {
  if (!check_pair(cx, input, target) || !check_sizes(cx, weight, input)) return NULL;
  int kind = weight ? 0 : tocha_reduction_of(cx, NULL, NULL, reduction);
  if (kind < 0) return NULL;
  if (!(delta > 0))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "huber_loss does not support non-positive values for delta.");
  if (!weight) return tocha_private_huber_loss(cx, input, target, kind, delta);
  tocha_tensor *loss = tocha_private_huber_loss(cx, input, target, TOCHA_REDUCTION_NONE, delta);
  kind = loss ? weighted_reduction(cx, reduction) : -1;
  /* The mean divides by the count, not by the weights' sum. */
  return kind < 0 ? NULL : tocha_reduced_loss(cx, tocha_mul(cx, loss, weight), kind);
}

/* --- negative log likelihood -------------------------------------------------------------------------------- */

/* Fails if weight requires grad while gradients are recorded. */
static bool check_constant(tocha_context *cx, const tocha_tensor *weight, const char *name,
                           const char *argument) {
  if (!weight || !tocha_grad_enabled(cx) || !tocha_requires_grad(weight)) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "The function '%s' is not differentiable with respect to argument '%s'. "
                    "This input cannot have requires_grad True.",
                    name, argument);
}

static bool check_weight(tocha_context *cx, const tocha_tensor *weight, int64_t classes,
                         tocha_dtype type, const char *prefix) {
  char text[256];
  if (!weight) return true;
  if (!prefix) {
    if (weight->numel != classes)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "weight tensor should be defined either for all or no classes");
    prefix = "";
  } else if (weight->ndim != 1 || weight->sizes[0] != classes) {
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "%sweight tensor should be defined either for all %lld classes or no classes but got "
        "weight tensor of shape: %s",
        prefix, (ll)classes, tocha_shape_text(weight->ndim, weight->sizes, text, sizeof text));
    return false;
  }
  if (weight->dtype != type && prefix[0] == 0 &&
      !tocha_autocast_enabled(cx, weight->device.type)) { /* autocast brings both to one type */
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type %s but found %s",
               tocha_dtype_scalar_type(type), tocha_dtype_scalar_type(weight->dtype));
    return false;
  }
  return true;
}

static bool check_target_dtype(tocha_context *cx, const tocha_tensor *target) {
  if (target->dtype == TOCHA_INT64 || target->dtype == TOCHA_UINT8) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected target dtype to be Long or Byte, but got %s",
             tocha_dtype_scalar_type(target->dtype));
  tocha_hint(cx, "class labels are integers: target:long()");
  return false;
}

static bool check_flat_target(tocha_context *cx, const tocha_tensor *input,
                              const tocha_tensor *target) {
  if (target->ndim > 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "0D or 1D target tensor expected, multi-target not supported");
  if (!check_target_dtype(cx, target)) return false;
  if (input->ndim == 1 && target->ndim == 1 && target->sizes[0] != 1)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "For 1D input, 1D target must have size 1, but got target size: %lld",
                      (ll)target->sizes[0]);
  return true;
}

/* Fails unless the target is (N, d1, ...) for an input (N, C, d1, ...). */
static bool check_deep_target(tocha_context *cx, const tocha_tensor *input,
                              const tocha_tensor *target) {
  char a[256], b[256];
  int n = input->ndim;
  bool same = target->ndim == n - 1 && target->sizes[0] == input->sizes[0];
  for (int i = 2; same && i < n; i++) same = target->sizes[i - 1] == input->sizes[i];
  if (same) return true;
  if (n == 4 && target->ndim != 3) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "only batches of spatial targets supported (3D tensors) but got targets of "
               "dimension: %d",
               target->ndim);
  } else if (n == 4) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "size mismatch (got input: %s , target: %s",
               tocha_shape_text(n, input->sizes, a, sizeof a),
               tocha_shape_text(target->ndim, target->sizes, b, sizeof b));
  } else {
    int64_t expected[TOCHA_MAX_DIMS];
    expected[0] = input->sizes[0];
    for (int i = 2; i < n; i++) expected[i - 1] = input->sizes[i];
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected target size %s, got %s",
               tocha_shape_text(n - 1, expected, a, sizeof a),
               tocha_shape_text(target->ndim, target->sizes, b, sizeof b));
  }
  return false;
}

static tocha_tensor *nll(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                         tocha_tensor *weight, int64_t ignore_index, int reduction) {
  if (input->ndim < 1)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Expected 1 or more dimensions (got 0)");
  int n = input->ndim;
  int64_t targets = target->ndim ? target->sizes[0] : 0;
  if (n > 1 && input->sizes[0] != targets) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Expected input batch_size (%lld) to match target batch_size (%lld).",
               (ll)input->sizes[0], (ll)targets);
    return tocha_hint(cx, "the input is (N, classes), the target (N)");
  }
  if (n > 2 && !check_deep_target(cx, input, target)) return NULL;
  if (!check_constant(cx, weight, n > 2 ? "nll_loss2d_forward" : "nll_loss_forward", "weight") ||
      !(n > 2 ? check_target_dtype(cx, target) : check_flat_target(cx, input, target)) ||
      !check_weight(cx, weight, input->sizes[n > 1 ? 1 : 0], input->dtype, n > 2 ? NULL : ""))
    return NULL;
  if (n <= 2) return tocha_private_nll_loss(cx, input, target, weight, reduction, ignore_index);
  if (n == 4) return tocha_private_nll_loss2d(cx, input, target, weight, reduction, ignore_index);
  int64_t flat[4] = {input->sizes[0], input->sizes[1], 1, 1};
  for (int i = 2; i < n; i++) flat[3] *= input->sizes[i];
  int64_t target_flat[3] = {flat[0], 1, flat[3]};
  tocha_tensor *x = tocha_view(cx, tocha_contiguous(cx, input), 4, flat);
  tocha_tensor *t = tocha_view(cx, tocha_contiguous(cx, target), 3, target_flat);
  tocha_tensor *out = tocha_private_nll_loss2d(cx, x, t, weight, reduction, ignore_index);
  if (reduction != TOCHA_REDUCTION_NONE) return out;
  return tocha_view(cx, out, target->ndim, target->sizes);
}

tocha_tensor *tocha_op_nll_loss(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                                tocha_tensor *weight, const bool *size_average,
                                int64_t ignore_index, const bool *reduce, const char *reduction) {
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  return kind < 0 ? NULL : nll(cx, input, target, weight, ignore_index, kind);
}

/* Returns weight (C) in a shape that multiplies (N, C, ...) or (C). */
static tocha_tensor *along_classes(tocha_context *cx, tocha_tensor *weight, int ndim) {
  int64_t sizes[TOCHA_MAX_DIMS];
  for (int i = 0; i < ndim; i++) sizes[i] = 1;
  sizes[ndim > 1 ? 1 : 0] = weight->sizes[0];
  return tocha_view(cx, weight, ndim, sizes);
}

static tocha_tensor *smoothed(tocha_context *cx, tocha_tensor *target, double smoothing,
                              int64_t classes) {
  if (!(smoothing > 0)) return target;
  target = tocha_mul_full(cx, target, tocha_number(tocha_float(1 - smoothing)));
  return tocha_add_full(cx, target, tocha_number(tocha_float(smoothing / (double)classes)),
                        tocha_int(1));
}

/* Returns -sum over classes of w * target * log_probability, reduced. */
static tocha_tensor *against_probabilities(tocha_context *cx, tocha_tensor *x, tocha_tensor *target,
                                           tocha_tensor *weight, int reduction, double smoothing) {
  int64_t dim = x->ndim > 1 ? 1 : 0, classes = x->sizes[dim];
  tocha_tensor *loss = tocha_mul(cx, x, smoothed(cx, target, smoothing, classes));
  if (weight) loss = tocha_mul(cx, loss, along_classes(cx, weight, x->ndim));
  if (reduction == TOCHA_REDUCTION_NONE)
    return tocha_neg(cx, tocha_sum_dim_IntList(cx, loss, 1, &dim, false));
  loss = tocha_neg(cx, tocha_sum(cx, loss));
  if (reduction == TOCHA_REDUCTION_SUM) return loss;
  int64_t rows = classes ? x->numel / classes : 0;
  return tocha_private_div_number(cx, loss, tocha_int(rows));
}

/* Returns the label smoothing's part of the loss, before it is divided by the number of classes: the sum over classes of
 * -log_probability, without ignored targets, reduced and weighted as the loss itself. */
static tocha_tensor *smooth_part(tocha_context *cx, tocha_tensor *x, tocha_tensor *target,
                                 tocha_tensor *weight, int64_t ignore_index, int reduction) {
  int64_t dim = x->ndim > 1 ? 1 : 0;
  tocha_tensor *terms = weight ? tocha_mul(cx, x, along_classes(cx, weight, x->ndim)) : x;
  tocha_tensor *loss = tocha_neg(cx, tocha_sum_dim_IntList(cx, terms, 1, &dim, false));
  tocha_tensor *ignored = tocha_eq_full(cx, target, tocha_number(tocha_int(ignore_index)));
  if (loss && target->ndim != loss->ndim)
    ignored = tocha_reshape(cx, ignored, loss->ndim, loss->sizes);
  loss = tocha_zero_where(cx, loss, ignored);
  if (reduction == TOCHA_REDUCTION_NONE) return loss;
  loss = tocha_sum(cx, loss);
  if (reduction == TOCHA_REDUCTION_SUM) return loss;
  tocha_tensor *kept = tocha_logical_not(cx, ignored);
  if (!weight) return tocha_div(cx, loss, tocha_sum(cx, kept));
  int64_t flat = -1;
  tocha_tensor *labels = tocha_mul(cx, target, kept); /* ignored ones count as 0 */
  tocha_tensor *each = tocha_index_select(cx, weight, 0, tocha_reshape(cx, labels, 1, &flat));
  each = tocha_mul(cx, each, tocha_reshape(cx, kept, 1, &flat));
  return tocha_div(cx, loss, tocha_sum(cx, each));
}

static tocha_tensor *check_probabilities(tocha_context *cx, const tocha_tensor *target,
                                         int64_t ignore_index) {
  if (!tocha_dtype_is_floating(target->dtype))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected floating point type for target with class probabilities, got %s",
                      tocha_dtype_scalar_type(target->dtype));
  if (ignore_index >= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "ignore_index is not supported for floating point target");
  return (tocha_tensor *)target;
}

static bool check_smoothing(tocha_context *cx, double smoothing) {
  if (!(smoothing > 1)) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "label_smoothing must be between 0.0 and 1.0. Got: %g",
                    smoothing);
}

tocha_tensor *tocha_op_cross_entropy(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                                     tocha_tensor *weight, const bool *size_average,
                                     int64_t ignore_index, const bool *reduce,
                                     const char *reduction, double label_smoothing) {
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  int64_t dim = input->ndim > 1 ? 1 : 0, classes = input->ndim ? input->sizes[dim] : 1;
  if (tocha_same_sizes(input, target)) {
    if (!check_probabilities(cx, target, ignore_index) ||
        (input->ndim == 0 && !tocha_size_of(cx, input, 1, &classes)) ||
        !check_weight(cx, weight, classes, input->dtype, "cross_entropy: ") ||
        !check_smoothing(cx, label_smoothing))
      return NULL;
    tocha_tensor *x = tocha_log_softmax(cx, input, dim, TOCHA_NO_DTYPE);
    return x ? against_probabilities(cx, x, target, weight, kind, label_smoothing) : NULL;
  }
  if (!check_smoothing(cx, label_smoothing)) return NULL;
  tocha_tensor *x = tocha_log_softmax(cx, input, dim, TOCHA_NO_DTYPE);
  if (!x) return NULL;
  tocha_tensor *loss = nll(cx, x, target, weight, ignore_index, kind);
  if (!loss || !(label_smoothing > 0)) return loss;
  tocha_tensor *smooth = smooth_part(cx, x, target, weight, ignore_index, kind);
  loss = tocha_mul_full(cx, loss, tocha_number(tocha_float(1 - label_smoothing)));
  smooth = tocha_mul_full(cx, smooth, tocha_number(tocha_float(label_smoothing / (double)classes)));
  return tocha_add(cx, loss, smooth);
}

/* Fails unless t can multiply self in place. first: t is the left factor. */
static bool check_factor(tocha_context *cx, tocha_tensor *self, tocha_tensor *t, bool first) {
  char a[256], b[256];
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {first ? t : self, first ? self : t};
  if (!t) return true;
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return false;
  if (ndim == self->ndim && memcmp(sizes, self->sizes, (size_t)ndim * sizeof *sizes) == 0)
    return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "output with shape %s doesn't match the broadcast shape %s",
             tocha_shape_text(self->ndim, self->sizes, a, sizeof a),
             tocha_shape_text(ndim, sizes, b, sizeof b));
  return false;
}

/* --- binary cross entropy -------------------------------------------------------------------------------- */

/* Fails unless weight and target broadcast. PyTorch's Python code checks this with an error of its own. */
static bool check_broadcast(tocha_context *cx, const tocha_tensor *target,
                            const tocha_tensor *weight) {
  char a[256], b[256];
  int64_t sizes[TOCHA_MAX_DIMS]; /* broadcast sizes so far */
  int ndim = weight->ndim > target->ndim ? weight->ndim : target->ndim;
  for (int d = 0; d < ndim; d++)
    sizes[d] = d < ndim - target->ndim ? 1 : target->sizes[d - (ndim - target->ndim)];
  for (int i = 1; i <= weight->ndim; i++) {
    int64_t own = weight->sizes[weight->ndim - i], *expected = &sizes[ndim - i];
    if (*expected == 1) *expected = own;
    if (own == 1 || own == *expected) continue;
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Attempting to broadcast a dimension of length %lld at -%d! Mismatching "
                      "argument at index 1 had torch.Size(%s); but expected shape should be "
                      "broadcastable to %s",
                      (ll)own, i, tocha_shape_text(weight->ndim, weight->sizes, a, sizeof a),
                      tocha_shape_text(ndim, sizes, b, sizeof b));
  }
  return check_constant(cx, weight, "binary_cross_entropy", "weight");
}

tocha_tensor *tocha_op_binary_cross_entropy(tocha_context *cx, tocha_tensor *input,
                                            tocha_tensor *target, tocha_tensor *weight,
                                            const bool *size_average, const bool *reduce,
                                            const char *reduction) {
  char a[256], b[256];
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  if (!tocha_same_sizes(input, target))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Using a target size (torch.Size(%s)) that is different to the input size "
                      "(torch.Size(%s)) is deprecated. Please ensure they have the same size.",
                      tocha_shape_text(target->ndim, target->sizes, a, sizeof a),
                      tocha_shape_text(input->ndim, input->sizes, b, sizeof b));
  if (weight && !check_broadcast(cx, target, weight)) return NULL;
  if (input->dtype != target->dtype)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Found dtype %s but expected %s",
                      tocha_dtype_scalar_type(target->dtype),
                      tocha_dtype_scalar_type(input->dtype));
  if (!tocha_dtype_is_floating(input->dtype))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"binary_cross_entropy\" not implemented for '%s'",
                      tocha_dtype_scalar_type(input->dtype));
  if (!check_factor(cx, input, weight, false)) return NULL;
  if (weight) weight = tocha_expand(cx, weight, input->ndim, input->sizes);
  if (tocha_failed(cx)) return NULL;
  return tocha_private_binary_cross_entropy(cx, input, target, weight, kind);
}

tocha_tensor *tocha_bce_with_logits_of(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                                       tocha_tensor *weight, tocha_tensor *pos_weight, int kind) {
  if (!check_constant(cx, weight, "binary_cross_entropy_with_logits", "weight") ||
      !check_constant(cx, pos_weight, "binary_cross_entropy_with_logits", "pos_weight"))
    return NULL;
  if (!tocha_dtype_is_floating(input->dtype))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "\"log_sigmoid_cpu\" not implemented for '%s'",
                      tocha_dtype_scalar_type(input->dtype));
  if (pos_weight && pos_weight->dtype == TOCHA_BOOL) /* fails with the error of pos_weight - 1 */
    return tocha_sub(cx, pos_weight, tocha_ones_like(cx, input));
  if (!check_factor(cx, input, pos_weight, true)) return NULL;
  if (!tocha_dtype_is_floating(target->dtype))
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR, "result type %s can't be cast to the desired output type %s",
        tocha_dtype_scalar_type(input->dtype), tocha_dtype_scalar_type(target->dtype));
  if (!check_factor(cx, input, weight, false)) return NULL;
  return tocha_private_bce_with_logits(cx, input, target, weight, pos_weight, kind);
}

tocha_tensor *tocha_op_binary_cross_entropy_with_logits(tocha_context *cx, tocha_tensor *input,
                                                        tocha_tensor *target, tocha_tensor *weight,
                                                        const bool *size_average,
                                                        const bool *reduce, const char *reduction,
                                                        tocha_tensor *pos_weight) {
  char a[256], b[256];
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  if (!tocha_same_sizes(input, target))
    return tocha_fail(
        cx, TOCHA_VALUE_ERROR,
        "Target size (torch.Size(%s)) must be the same as input size (torch.Size(%s))",
        tocha_shape_text(target->ndim, target->sizes, a, sizeof a),
        tocha_shape_text(input->ndim, input->sizes, b, sizeof b));
  return tocha_bce_with_logits_of(cx, input, target, weight, pos_weight, kind);
}

/* --- others ---------------------------------------------------------------------------------------------------- */

static bool check_kl_div(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *target) {
  return (tocha_dtype_is_floating(input->dtype) && tocha_dtype_is_floating(target->dtype)) ||
         tocha_fail(cx, TOCHA_RUNTIME_ERROR, "kl_div: Integral inputs not supported.");
}

tocha_tensor *tocha_kl_div_of(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                              int kind, bool log_target) {
  if (!check_kl_div(cx, input, target)) return NULL;
  tocha_tensor *loss =
      log_target ? tocha_mul(cx, tocha_exp(cx, target), tocha_sub(cx, target, input))
                 : tocha_sub(cx, tocha_xlogy(cx, target, target), tocha_mul(cx, target, input));
  return tocha_reduced_loss(cx, loss, kind);
}

tocha_tensor *tocha_op_kl_div(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                              const bool *size_average, const bool *reduce, const char *reduction,
                              bool log_target) {
  bool batch_mean = strcmp(reduction, "batchmean") == 0;
  int kind = tocha_reduction_of(cx, size_average, reduce, batch_mean ? "sum" : reduction);
  if (kind < 0 || !check_kl_div(cx, input, target)) return NULL;
  if (kind == TOCHA_REDUCTION_MEAN)
    tocha_warn(cx,
               "reduction: 'mean' divides the total loss by both the batch size and the support "
               "size.'batchmean' divides only by the batch size, and aligns with the KL div math "
               "definition.'mean' will be changed to behave the same as 'batchmean' in the next "
               "major release.");
  tocha_tensor *loss = tocha_kl_div_of(cx, input, target, kind, log_target);
  if (!batch_mean || input->ndim == 0) return loss;
  return tocha_div_full(cx, loss, tocha_number(tocha_int(input->sizes[0])));
}

tocha_tensor *tocha_op_hinge_embedding_loss(tocha_context *cx, tocha_tensor *input,
                                            tocha_tensor *target, double margin,
                                            const bool *size_average, const bool *reduce,
                                            const char *reduction) {
  int kind = tocha_reduction_of(cx, size_average, reduce, reduction);
  if (kind < 0) return NULL;
  tocha_scalar zero = tocha_int(0);
  tocha_operand one = tocha_number(tocha_int(1));
  tocha_tensor *margins = tocha_full_like(cx, input, tocha_float(margin)); /* in input's dtype */
  tocha_tensor *hinge = tocha_sub(cx, margins, input);
  hinge = tocha_clamp(cx, hinge, &zero, NULL);
  /* The hinge counts if the target is not 1, the input if the target is not -1. */
  tocha_tensor *is_one = tocha_eq_full(cx, target, one);
  tocha_tensor *is_minus = tocha_eq_full(cx, target, tocha_number(tocha_int(-1)));
  /* The condition comes first, as in where(): the error about sizes shows the order. */
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {is_one, hinge};
  if (!hinge || !is_one || !tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  tocha_tensor *loss =
      tocha_add(cx, tocha_zero_where(cx, hinge, is_one), tocha_zero_where(cx, input, is_minus));
  return tocha_reduced_loss(cx, loss, kind);
}
