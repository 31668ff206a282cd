/* reductions.h: the reductions of torch.nn.functional's losses (reductions.c). */
#ifndef TOCHA_LOSS_REDUCTIONS_H
#define TOCHA_LOSS_REDUCTIONS_H

#include "core/internal.h"
#include "ops/loss/loss.h"

/* Returns the reduction, given by name or in the old way by two booleans (NULL: not given), or -1 on failure. */
int tocha_reduction_of(tocha_context *cx, const bool *size_average, const bool *reduce,
                       const char *name);
/* Fails, with the error "NAME is not WORDS", unless there is a reduction of that name. */
bool tocha_is_reduction(tocha_context *cx, const char *name, const char *words);
tocha_tensor *tocha_reduced_loss(tocha_context *cx, tocha_tensor *loss, int reduction);

/* The losses themselves, shared by torch.* and torch.nn.functional.*; arguments are already checked. */
tocha_tensor *tocha_bce_with_logits_of(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                                       tocha_tensor *weight, tocha_tensor *pos_weight, int kind);
tocha_tensor *tocha_kl_div_of(tocha_context *cx, tocha_tensor *input, tocha_tensor *target,
                              int kind, bool log_target);
tocha_tensor *tocha_margin_ranking_loss_of(tocha_context *cx, tocha_tensor *input1,
                                           tocha_tensor *input2, tocha_tensor *target,
                                           double margin, int kind);
tocha_tensor *tocha_triplet_margin_loss_of(tocha_context *cx, tocha_tensor *anchor,
                                           tocha_tensor *positive, tocha_tensor *negative,
                                           double margin, double p, double eps, bool swap,
                                           int kind);

#endif
