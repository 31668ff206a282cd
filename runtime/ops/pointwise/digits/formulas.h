/* formulas.h: formulas that round 16-bit types after every step (formulas.c,
 * dispatch/rounding.h). */
#ifndef TOCHA_STEPWISE_FORMULAS_H
#define TOCHA_STEPWISE_FORMULAS_H

#include "ops/pointwise/elementwise.h"

/* Returns true if the formula's result is rounded after every step. */
bool tocha_formula_rounds_steps(const tocha_context *cx, const tocha_formula_use *use);

/* Returns the formula that raises the first operand to the power and rounds after every step, or
 * NULL if the ordinary formula is right. */
const tocha_formula *tocha_stepwise_power(const tocha_context *cx, const tocha_formula_use *use,
                                          double exponent);

#endif
