/* numbered_reductions.c: losses of torch itself, which name their reduction by a number: 1 is the mean, 2 the sum, and any other none. */
#include <string.h>

#include "loss/implementations.h"
#include "ops/loss/reductions.h"
#include "tensor/iterator.h"

static const char *name_of(int64_t reduction) {
  return reduction == TOCHA_REDUCTION_MEAN  ? "mean"
         : reduction == TOCHA_REDUCTION_SUM ? "sum"
                                            : "none";
}

static int kind_of(int64_t reduction) {
  return reduction == TOCHA_REDUCTION_MEAN || reduction == TOCHA_REDUCTION_SUM
             ? (int)reduction
             : TOCHA_REDUCTION_NONE;
}

tocha_tensor *tocha_op_numbered_bce_with_logits(tocha_context *cx, tocha_tensor *input,
                                                tocha_tensor *target, tocha_tensor *weight,
                                                tocha_tensor *pos_weight, int64_t reduction) {
  int ndim;
  char a[256], b[256];
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *both[2] = {input, target};
  if (!tocha_broadcast_sizes(cx, 2, both, &ndim, sizes)) return NULL;
  if (ndim == target->ndim && memcmp(sizes, target->sizes, (size_t)ndim * sizeof *sizes) == 0)
    return tocha_bce_with_logits_of(cx, input, target, weight, pos_weight, kind_of(reduction));
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "output with shape %s doesn't match the broadcast shape %s",
                    tocha_shape_text(target->ndim, target->sizes, a, sizeof a),
                    tocha_shape_text(ndim, sizes, b, sizeof b));
}

tocha_tensor *tocha_op_numbered_cosine_embedding_loss(tocha_context *cx, tocha_tensor *input1,
                                                      tocha_tensor *input2, tocha_tensor *target,
                                                      double margin, int64_t reduction) {
  return tocha_op_cosine_embedding_loss(cx, input1, input2, target, margin, NULL, NULL,
                                        name_of(reduction));
}

tocha_tensor *tocha_op_numbered_hinge_embedding_loss(tocha_context *cx, tocha_tensor *input,
                                                     tocha_tensor *target, double margin,
                                                     int64_t reduction) {
  return tocha_op_hinge_embedding_loss(cx, input, target, margin, NULL, NULL, name_of(reduction));
}

tocha_tensor *tocha_op_numbered_kl_div(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                                       int64_t reduction, bool log_target) {
  return tocha_kl_div_of(cx, input, target, kind_of(reduction), log_target);
}

tocha_tensor *tocha_op_numbered_margin_ranking_loss(tocha_context *cx, tocha_tensor *input1,
                                                    tocha_tensor *input2, tocha_tensor *target,
                                                    double margin, int64_t reduction) {
  return tocha_margin_ranking_loss_of(cx, input1, input2, target, margin, kind_of(reduction));
}

tocha_tensor *tocha_op_numbered_poisson_nll_loss(tocha_context *cx, tocha_tensor *input,
                                                 tocha_tensor *target, bool log_input, bool full,
                                                 double eps, int64_t reduction) {
  return tocha_op_poisson_nll_loss(cx, input, target, log_input, full, NULL, eps, NULL,
                                   name_of(reduction));
}

tocha_tensor *tocha_op_numbered_triplet_margin_loss(tocha_context *cx, tocha_tensor *anchor,
                                                    tocha_tensor *positive, tocha_tensor *negative,
                                                    double margin, double p, double eps, bool swap,
                                                    int64_t reduction) {
  return tocha_triplet_margin_loss_of(cx, anchor, positive, negative, margin, p, eps, swap,
                                      kind_of(reduction));
}

tocha_tensor *tocha_op_numbered_ctc_loss_lists(tocha_context *cx, tocha_tensor *log_probs,
                                               tocha_tensor *targets, int input_lengths_count,
                                               const int64_t *input_lengths,
                                               int target_lengths_count,
                                               const int64_t *target_lengths, int64_t blank,
                                               int64_t reduction, bool zero_infinity) {
  return tocha_op_ctc_loss_lists(cx, log_probs, targets, input_lengths_count, input_lengths,
                                 target_lengths_count, target_lengths, blank, name_of(reduction),
                                 zero_infinity);
}

tocha_tensor *tocha_op_numbered_ctc_loss(tocha_context *cx, tocha_tensor *log_probs,
                                         tocha_tensor *targets, tocha_tensor *input_lengths,
                                         tocha_tensor *target_lengths, int64_t blank,
                                         int64_t reduction, bool zero_infinity) {
  return tocha_op_ctc_loss(cx, log_probs, targets, input_lengths, target_lengths, blank,
                           name_of(reduction), zero_infinity);
}
