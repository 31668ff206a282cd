/* reductions.h: how losses of torch.nn.functional are reduced (reductions.c). */
#ifndef TOCHA_LOSS_REDUCTIONS_H
#define TOCHA_LOSS_REDUCTIONS_H

#include "core/internal.h"
#include "ops/loss/loss.h"

/* The reduction that was asked for, by name or in the old way by two booleans; -1 on failure. */
int tocha_reduction_of(tocha_context *cx, const bool *size_average, const bool *reduce,
                       const char *name);
/* Whether there is a reduction of that name; else an error "NAME is not WORDS". */
bool tocha_is_reduction(tocha_context *cx, const char *name, const char *words);
tocha_tensor *tocha_reduced_loss(tocha_context *cx, tocha_tensor *loss, int reduction);

#endif
