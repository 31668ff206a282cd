/* comparison.c: comparisons with a tolerance, and comparisons whose result is one bool. */
#include "ops/indexing/nonzero.h"
#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/isclose.h"
#include "pointwise/implementations.h"
#include "tensor/copy.h"
#include "tocha/ops/ne.h"

static bool check_close(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *other,
                        double rtol, double atol) {
  if (self->dtype != other->dtype)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s did not match %s", tocha_dtype_scalar_type(self->dtype),
               tocha_dtype_scalar_type(other->dtype));
  else if (!(rtol >= 0))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "rtol must be greater than or equal to zero, but got %g",
               rtol);
  else if (!(atol >= 0))
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

/* Writes the number of true elements of `truth`, a dense tensor of bool, into *count. Waits for the
 * device. */
static bool count_true(tocha_context *cx, tocha_tensor *truth, int64_t *count) {
  tocha_tensor *tiles;
  if (truth && truth->device.type == TOCHA_META)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Tensor.item() cannot be called on meta tensors");
  return truth && !tocha_failed(cx) && tocha_count_flags(cx, truth, &tiles, count);
}

bool tocha_op_allclose(tocha_context *cx, tocha_tensor *self, tocha_tensor *other, double rtol,
                       double atol, bool equal_nan, tocha_results *results) {
  tocha_tensor *close = tocha_op_isclose(cx, self, other, rtol, atol, equal_nan);
  int64_t count;
  return count_true(cx, close, &count) && answer(cx, results, count == close->numel);
}

bool tocha_op_equal(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                    tocha_results *results) {
  int64_t count;
  if (!tocha_check_values(cx, self, "equal") || !tocha_check_values(cx, other, "equal"))
    return false;
  if (!tocha_same_sizes(self, other)) return answer(cx, results, false);
  return count_true(cx, tocha_ne(cx, self, other), &count) && answer(cx, results, count == 0);
}
