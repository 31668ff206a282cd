/* replay.h: a recurrent layer made of operators (replay.c). */
#ifndef TOCHA_RECURRENT_REPLAY_H
#define TOCHA_RECURRENT_REPLAY_H

#include "dispatch/call.h"
#include "ops/recurrent/layer.h"

/* Computes _recurrent_layer with rounding after every operator: the outputs and the last states.
 * apart: the bias of the inputs is added by an operator of its own. cy may be NULL. */
bool tocha_recurrent_compose(tocha_context *cx, tocha_recurrent_mode mode, bool reverse, bool apart,
                             int count, const int64_t *sizes,
                             const tocha_recurrent_operands *operands, tocha_tensor **output,
                             tocha_tensor **hy, tocha_tensor **cy);

/* Sets the frame's gradients. They are recorded as functions of the operands and of the incoming
 * gradients. */
bool tocha_recurrent_replay(tocha_backward_frame *frame, const tocha_recurrent_operands *operands);

#endif
