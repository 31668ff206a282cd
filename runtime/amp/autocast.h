/* autocast.h: the function that dispatch/call.c calls while an autocast region is open. */
#ifndef TOCHA_AUTOCAST_H
#define TOCHA_AUTOCAST_H

#include "dispatch/call.h"
#include "tocha/amp.h"

/* Runs the call with its operands in the dtypes that autocast requires (tocha_call_hooks). */
bool tocha_call_autocast(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results, tocha_tensor *into);

/* Returns true if there is a CUDA device. */
bool tocha_cuda_is_there(tocha_context *cx);

#endif
