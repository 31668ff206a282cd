/* float8.h: the checks of float8 operands of elementwise operators. */
#ifndef TOCHA_POINTWISE_FLOAT8_H
#define TOCHA_POINTWISE_FLOAT8_H

#include "ops/pointwise/elementwise.h"

/* Returns true if one of the operands is a float8 tensor. */
bool tocha_uses_float8(const tocha_formula_use *use);
/* Fails if the operands have no common dtype, or one that the operator refuses. */
bool tocha_check_float8_use(tocha_context *cx, const tocha_formula_use *use,
                            const tocha_tensor *out);

#endif
