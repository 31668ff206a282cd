/* float8.h: refuses float8 dtypes in PyTorch's words, for operators that do not accept them. */
#ifndef TOCHA_FLOAT8_RULES_H
#define TOCHA_FLOAT8_RULES_H

#include "dispatch/call.h"

/* Fails if the rule refuses the dtype, which may be any. */
bool tocha_accepts_float8(tocha_context *cx, const tocha_float8_rule *rule, tocha_dtype dtype);

/* Returns args, or NULL with an error if a tensor or a dtype among them is a float8 dtype that the
 * operator refuses. If the call names another dtype to compute in (dtype=torch.float32), returns a
 * copy with float32 tensors in place of the float8 ones. Elementwise operators are not checked here,
 * but by the common dtype of their operands. */
const tocha_arg *tocha_float8_arguments(tocha_context *cx, const tocha_op *op,
                                        const tocha_arg *args);

/* Fails because two dtypes, of which one is a float8 dtype, have no common dtype. Returns NULL. */
void *tocha_refuse_float8_promotion(tocha_context *cx, tocha_dtype a, tocha_dtype b);
/* Fails because the operands have no common dtype. Returns NULL. */
void *tocha_refuse_float8_operands(tocha_context *cx, int count, const tocha_operand *operands);
#endif
