/* formulas.h: formulas of 16-bit types that are rounded after every step (formulas.c; dispatch/rounding.h). */
#ifndef TOCHA_STEPWISE_FORMULAS_H
#define TOCHA_STEPWISE_FORMULAS_H

#include "ops/pointwise/elementwise.h"

/* Returns true if the formula's result is rounded after every step. */
bool tocha_formula_rounds_steps(const tocha_context *cx, const tocha_formula_use *use);

/* Returns the formula of the first operand to the power, rounded after every step, or NULL if the formula of any type does it. */
const tocha_formula *tocha_stepwise_power(const tocha_context *cx, const tocha_formula_use *use,
                                          double exponent);

#endif
