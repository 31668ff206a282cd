/* rounding.c: rounding to a number of decimals. */
#include <math.h>

#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/round.h"
#include "pointwise/formulas/round_decimals.h"
#include "pointwise/formulas/round_tens.h"
#include "pointwise/implementations.h"

tocha_tensor *tocha_op_round_decimals(tocha_context *cx, tocha_tensor *self, int64_t decimals) {
  tocha_scalar p = tocha_float(pow(10, fabs((double)decimals)));
  if (decimals == 0 && !tocha_dtype_is_floating(self->dtype))
    return tocha_formula_not_implemented(cx, &tocha_formula_round, self->dtype);
  return tocha_apply_unary(
      cx, decimals < 0 ? &tocha_formula_round_tens : &tocha_formula_round_decimals, self, 1, &p);
}
