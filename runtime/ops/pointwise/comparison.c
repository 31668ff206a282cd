/* comparison.c: comparisons with a tolerance. */
#include <string.h>

#include "device/devices.h"
#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/isclose.h"
#include "pointwise/implementations.h"
#include "tocha/ops/all.h"

/* --- comparisons with an answer -------------------------------------------------------------------------- */

static bool check_close(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *other,
                        double rtol, double atol) {
  if (self->dtype != other->dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s did not match %s", tocha_dtype_scalar_type(self->dtype),
               tocha_dtype_scalar_type(other->dtype));
  else if (rtol < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "rtol must be greater than or equal to zero, but got %g",
               rtol);
  else if (atol < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "atol must be greater than or equal to zero, but got %g",
               atol);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_isclose(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                               double rtol, double atol, bool equal_nan) {
  if (!check_close(cx, self, other, rtol, atol)) return NULL;
  tocha_operand in[2] = {tocha_operand_of(self), tocha_operand_of(other)};
  tocha_scalar p[3] = {tocha_float(rtol), tocha_float(atol), tocha_boolean(equal_nan)};
  return tocha_apply_formula(cx, &tocha_formula_isclose, 2, in, 3, p, NULL);
}

static bool answer(tocha_context *cx, tocha_results *results, bool value) {
  results->value.value.flag = value;
  results->value.given = true;
  results->value_kind = TOCHA_KIND_BOOL;
  return !tocha_failed(cx);
}

/* truth is a new, dense tensor of bool. */
static bool all_true(tocha_context *cx, tocha_tensor *truth) {
  tocha_scalar all;
  if (tocha_is_on_device(truth))
    return tocha_item(cx, tocha_all(cx, truth, 0, NULL, false), &all) && all.value.integer;
  return !truth->numel || !memchr(truth->storage->data, 0, (size_t)truth->numel);
}

bool tocha_op_allclose(tocha_context *cx, tocha_tensor *self, tocha_tensor *other, double rtol,
                       double atol, bool equal_nan, tocha_results *results) {
  tocha_tensor *close = tocha_op_isclose(cx, self, other, rtol, atol, equal_nan);
  return close && answer(cx, results, all_true(cx, close));
}
