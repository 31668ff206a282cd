/* elements.h: losses that work element by element (loss.c). */
#ifndef TOCHA_LOSS_ELEMENTS_H
#define TOCHA_LOSS_ELEMENTS_H

#include "core/internal.h"

/* Returns the mean or the sum of a loss, or the loss itself, as `reduction` says (loss.h). */
tocha_tensor *tocha_reduce_loss(tocha_context *cx, tocha_tensor *loss, int64_t reduction);
/* Computes _bce_with_logits by operators, whatever the dtypes of self and target are. */
tocha_tensor *tocha_bce_with_logits_of_operators(tocha_context *cx, tocha_tensor *self,
                                                 tocha_tensor *target, tocha_tensor *weight,
                                                 tocha_tensor *pos_weight, int64_t reduction);

#endif
