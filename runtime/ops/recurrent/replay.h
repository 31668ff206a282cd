/* replay.h: gradients of a recurrent layer that have gradients themselves (replay.c). */
#ifndef TOCHA_RECURRENT_REPLAY_H
#define TOCHA_RECURRENT_REPLAY_H

#include "dispatch/call.h"
#include "ops/recurrent/layer.h"

/* Fills the frame's gradients with functions of the operands and of the incoming gradients that are recorded. */
bool tocha_recurrent_replay(tocha_backward_frame *frame, const tocha_recurrent_operands *operands);

#endif
