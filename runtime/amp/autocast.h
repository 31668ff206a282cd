/* autocast.h: the classes of operators under autocast, a context's autocast state, and what the one
 * entry of every call (ops/call.c) does while a region is open. */
#ifndef TOCHA_AUTOCAST_H
#define TOCHA_AUTOCAST_H

#include "dispatch/call.h"
#include "tocha/amp.h"

typedef enum tocha_autocast_class {
  TOCHA_AUTOCAST_NONE,          /* runs in the type of its inputs */
  TOCHA_AUTOCAST_LOWER,         /* inputs are cast to the region's type */
  TOCHA_AUTOCAST_FLOAT32,       /* inputs are cast to float32 */
  TOCHA_AUTOCAST_FLOAT32_DTYPE, /* dtype=float32 unless the call says another */
  TOCHA_AUTOCAST_WIDEST,        /* inputs are cast to the widest of their types */
  TOCHA_AUTOCAST_REFUSE         /* an error: the result would not be safe */
} tocha_autocast_class;

/* tocha_op.autocast: the CPU's class below, CUDA's above. */
#define TOCHA_AUTOCAST(cpu, cuda) (TOCHA_AUTOCAST_##cpu | TOCHA_AUTOCAST_##cuda << 4)

/* A call being cast. */
typedef struct tocha_cast_call {
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  uint8_t active;       /* what was on before it */
  tocha_tensor **lists; /* the cast tensors of TENSORS arguments */
  size_t list_bytes;
} tocha_cast_call;

/* Brings the arguments of a listed operator to the types of its class and switches autocast off for
 * what the operator is made of. plain: a call with out=, which is not cast. To be ended in any
 * case; the cast tensors are left in the scope. */
bool tocha_cast_begin(tocha_context *cx, const tocha_op *op, const tocha_arg *args, bool plain,
                      tocha_cast_call *call);
void tocha_cast_end(tocha_context *cx, tocha_cast_call *call);

/* Whether there is a CUDA device at all. */
bool tocha_cuda_is_there(tocha_context *cx);

#endif
