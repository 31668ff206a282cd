/* autocast.h: the classes of operators under autocast, a context's autocast state, and what the one
 * entry of every call (dispatch/call.c) does while a region is open. */
#ifndef TOCHA_AUTOCAST_H
#define TOCHA_AUTOCAST_H

#include "dispatch/call.h"
#include "tocha/amp.h"

/* The call with its operands in the dtypes autocast wants (tocha_call_hooks). */
bool tocha_call_autocast(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results, tocha_tensor *into);

/* Whether there is a CUDA device at all. */
bool tocha_cuda_is_there(tocha_context *cx);

#endif
