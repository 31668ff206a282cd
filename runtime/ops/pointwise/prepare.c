/* prepare.c: the functions that entries name as `prepare`. They refuse operands, or replace a
 * formula by a cheaper one. */
#include <string.h>

#include "device/devices.h"
#include "ops/pointwise/digits/formulas.h"
#include "pointwise/formulas/add_plain.h"
#include "pointwise/formulas/cube.h"
#include "pointwise/formulas/ge.h"
#include "pointwise/formulas/inverse_square.h"
#include "pointwise/formulas/reciprocal.h"
#include "pointwise/formulas/rsqrt.h"
#include "pointwise/formulas/sqrt.h"
#include "pointwise/formulas/square.h"
#include "pointwise/formulas/sub_plain.h"
#include "pointwise/implementations.h"
#include "tensor/convert.h"
#include "tensor/iterator.h"
#include "tensor/math/rounded.h"

void *tocha_formula_not_implemented(tocha_context *cx, const tocha_formula *formula,
                                    tocha_dtype type) {
  return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s\" not implemented for '%s'",
                    formula->kernel, tocha_dtype_scalar_type(type));
}

/* --- sums and differences -------------------------------------------------------------------------- */

static tocha_dtype operand_type(const tocha_operand *o) {
  if (o->tensor) return o->tensor->dtype;
  return o->scalar.kind == TOCHA_SCALAR_BOOL ? TOCHA_BOOL : TOCHA_NO_DTYPE;
}

/* Fails for differences of bool tensors, because the caller may mean one of several operations. */
static bool check_difference(tocha_context *cx, const tocha_operand *operands) {
  bool a = operand_type(&operands[0]) == TOCHA_BOOL, b = operand_type(&operands[1]) == TOCHA_BOOL;
  if (!a && !b) return true;
  if (a && b)
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
               "or `logical_xor()` operator instead.");
  else
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
               "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  return false;
}

bool tocha_check_factor(tocha_context *cx, tocha_dtype type, tocha_scalar factor,
                        const char *name) {
  if (factor.kind == TOCHA_SCALAR_BOOL && type != TOCHA_BOOL)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Boolean %s only supported for Boolean results.",
                      name);
  if (factor.kind == TOCHA_SCALAR_FLOAT && !tocha_dtype_is_floating(type))
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "For integral input tensors, argument %s must not be a floating point number.", name);
  return true;
}

static bool check_alpha(tocha_context *cx, tocha_dtype type, tocha_scalar alpha) {
  return tocha_check_factor(cx, type, alpha, "alpha") && tocha_check_fits(cx, alpha, type);
}

/* Rounds alpha to the operands' type if every step is rounded. For bool, alpha becomes a truth
 * value. */
static void round_first(const tocha_context *cx, tocha_formula_use *use) {
  if (use->type == TOCHA_BOOL)
    use->factors[0] = tocha_boolean(tocha_scalar_real(use->p[0]) != 0);
  else if (tocha_formula_rounds_steps(cx, use))
    use->factors[0] = tocha_float(tocha_rounded(tocha_scalar_real(use->p[0]), use->type));
  else
    return;
  use->p = use->factors;
}

/* Checks alpha, or chooses the formula without alpha if alpha is 1. */
static bool prepare_alpha(tocha_context *cx, tocha_formula_use *use, const tocha_formula *plain) {
  if (use->p[0].kind != TOCHA_SCALAR_INT || use->p[0].value.integer != 1) {
    if (!check_alpha(cx, use->type, use->p[0])) return false;
    round_first(cx, use);
    return true;
  }
  use->formula = plain;
  use->numbers = 0;
  return true;
}

bool tocha_prepare_add(tocha_context *cx, tocha_formula_use *use) {
  return prepare_alpha(cx, use, &tocha_formula_add_plain);
}

bool tocha_prepare_sub(tocha_context *cx, tocha_formula_use *use) {
  return check_difference(cx, use->operands) && prepare_alpha(cx, use, &tocha_formula_sub_plain);
}

/* --- bool ------------------------------------------------------------------------------------------- */

static bool refuse_bool(tocha_context *cx, const tocha_formula_use *use, const char *message) {
  if (use->type != TOCHA_BOOL) return true;
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "%s", message);
  return false;
}

bool tocha_prepare_neg(tocha_context *cx, tocha_formula_use *use) {
  return refuse_bool(cx, use,
                     "Negation, the `-` operator, on a bool tensor is not supported. If you are "
                     "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
}

/* Chooses the layout of ones_like() for integers, whose results are all equal. */
bool tocha_prepare_classified(tocha_context *cx, tocha_formula_use *use) {
  (void)cx;
  if (!tocha_dtype_is_floating(use->type)) use->layout = TOCHA_LAID_COPY;
  return true;
}

bool tocha_prepare_relu(tocha_context *cx, tocha_formula_use *use) {
  return refuse_bool(cx, use, "Boolean inputs not supported for relu");
}

bool tocha_prepare_hardtanh(tocha_context *cx, tocha_formula_use *use) {
  if (!refuse_bool(cx, use, "Bool inputs not supported for hardtanh")) return false;
  bool integers = !tocha_dtype_is_floating(use->type);
  for (int i = 0; integers && i < use->numbers; i++)
    if (!tocha_check_fits(cx, use->p[i], TOCHA_INT64)) return false;
  return true;
}

/* --- division of integers -------------------------------------------------------------------------- */

typedef struct zero_search {
  tocha_converter to_bool;
  atomic_bool found;
} zero_search;

static void search_zero(void *user, char *const *data, const int64_t *strides, int64_t n) {
  zero_search *search = user;
  char truth[512];
  for (int64_t at = 0; at < n; at += (int64_t)sizeof truth) {
    int64_t count = n - at < (int64_t)sizeof truth ? n - at : (int64_t)sizeof truth;
    search->to_bool(truth, 1, data[0] + at * strides[0], strides[0], count);
    if (memchr(truth, 0, (size_t)count)) atomic_store(&search->found, true);
  }
}

/* Fails if the divisor of integers has a zero, by which no loop can divide. A device's divisor is
 * not read, because reading would wait: its kernels return 0 there. */
static bool check_divisor(tocha_context *cx, const tocha_formula_use *use) {
  const tocha_operand *divisor = &use->operands[1];
  bool zero, empty;
  tocha_tensor *t = divisor->tensor;
  if (!t) {
    uint64_t element = 0; /* the number may wrap around when it is stored */
    tocha_store_scalar(&element, use->type, divisor->scalar);
    zero = element == 0;
  } else {
    if (!t->numel || !t->storage->data || tocha_is_on_device(t)) return true;
    tocha_iterator it;
    zero_search search = {.to_bool = tocha_conversion(TOCHA_BOOL, t->dtype)};
    atomic_init(&search.found, false);
    tocha_iterator_begin(&it, cx, t->ndim, t->sizes, 1, &t);
    if (!tocha_iterator_run(&it, search_zero, &search)) return false;
    zero = atomic_load(&search.found);
  }
  if (!zero) return true;
  if (!tocha_check_shapes(cx, use, NULL, &empty)) return false;
  return empty || tocha_fail(cx, TOCHA_RUNTIME_ERROR, "ZeroDivisionError");
}

bool tocha_prepare_quotient(tocha_context *cx, tocha_formula_use *use) {
  return tocha_dtype_is_floating(use->type) || use->type == TOCHA_BOOL || check_divisor(cx, use);
}

bool tocha_prepare_softshrink(tocha_context *cx, tocha_formula_use *use) {
  double lambda = tocha_scalar_real(use->p[0]), maximum = tocha_dtype_max(use->type);
  if (!tocha_dtype_is_floating(use->type) || (lambda >= 0 && lambda <= maximum)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "lambda must be in range [0, %g] for input dtype %s, but found %g", maximum,
             tocha_dtype_scalar_type(use->type), lambda);
  return false;
}

/* Fails if the slope is negative, because the sign of self cannot be recovered from the result
 * then. */
static bool check_slope(tocha_context *cx, const tocha_formula_use *use, const char *words) {
  if (tocha_scalar_real(use->p[0]) >= 0) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "In-place %s backward calculation is triggered with a negative slope which is not "
             "supported. This is caused by calling in-place forward function with a negative "
             "slope, please call out-of-place version instead.%s",
             words,
             words[0] == 'e'
                 ? ""
                 : " File an issue at https://github.com/pytorch/pytorch if you do require "
                   "supporting in-place leakRelu backward calculation with negative slope");
  return false;
}

bool tocha_prepare_leaky_relu_result(tocha_context *cx, tocha_formula_use *use) {
  return check_slope(cx, use, "leakyReLu");
}

bool tocha_prepare_elu_result(tocha_context *cx, tocha_formula_use *use) {
  return check_slope(cx, use, "elu");
}

/* --- operands of one type --------------------------------------------------------------------------- */

static bool check_same_type(tocha_context *cx, const tocha_operand *operands, int which,
                            const char *name) {
  if (operands[0].tensor->dtype == operands[which].tensor->dtype) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected dtype %s for `%s` but got dtype %s",
             tocha_dtype_cpp_name(operands[0].tensor->dtype), name,
             tocha_dtype_cpp_name(operands[which].tensor->dtype));
  return false;
}

bool tocha_prepare_lerp(tocha_context *cx, tocha_formula_use *use) {
  return check_same_type(cx, use->operands, 1, "end") &&
         (use->operands[2].tensor->ndim == 0 || check_same_type(cx, use->operands, 2, "weight"));
}

bool tocha_prepare_lerp_scalar(tocha_context *cx, tocha_formula_use *use) {
  return check_same_type(cx, use->operands, 1, "end");
}

bool tocha_prepare_heaviside(tocha_context *cx, tocha_formula_use *use) {
  if (use->operands[0].tensor->dtype == use->operands[1].tensor->dtype) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "heaviside is not yet implemented for tensors with different dtypes.");
  return false;
}

bool tocha_prepare_addcdiv(tocha_context *cx, tocha_formula_use *use) {
  if (tocha_dtype_is_floating(use->operands[1].tensor->dtype) ||
      tocha_dtype_is_floating(use->operands[2].tensor->dtype))
    return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Integer division with addcdiv is no longer supported, and in a future  release "
             "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
             "behavior can be implemented as (input + value * torch.trunc(tensor1 / "
             "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
             "tensor2) for float inputs. The future addcdiv behavior is just the latter "
             "implementation: (input + value * tensor1 / tensor2), for all dtypes.");
  return false;
}

bool tocha_prepare_threshold(tocha_context *cx, tocha_formula_use *use) {
  uint64_t element = 0;
  if (!tocha_check_number(cx, use->p[0], use->type, TOCHA_FITS_WIDE) ||
      !tocha_check_number(cx, use->p[1], use->type, TOCHA_FITS_OWN))
    return false;
  if (use->type != TOCHA_UINT8) return true;
  tocha_store_scalar(&element, TOCHA_UINT8, use->p[0]); /* a negative number wraps around */
  use->factors[0] = tocha_load_scalar(&element, TOCHA_UINT8);
  use->factors[1] = use->p[1];
  use->p = use->factors;
  return true;
}

/* --- powers ------------------------------------------------------------------------------------------- */

static bool check_exponent(tocha_context *cx, tocha_dtype type, tocha_scalar exponent) {
  if (type == TOCHA_BOOL || (tocha_dtype_size(type) > 2 && tocha_dtype_is_floating(type)))
    return true;
  if (!tocha_dtype_is_floating(type) && exponent.value.integer < 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Integers to negative integer powers are not allowed.");
    return false;
  }
  return tocha_check_fits(cx, exponent, type);
}

/* Returns a formula that computes the same power faster, or NULL. */
static const tocha_formula *formula_of_power(tocha_dtype type, double exponent) {
  if (exponent == 2) return &tocha_formula_square;
  if (exponent == 3) return &tocha_formula_cube;
  if (!tocha_dtype_is_floating(type)) return NULL;
  if (exponent == 0.5) return &tocha_formula_sqrt;
  if (exponent == -0.5) return &tocha_formula_rsqrt;
  if (exponent == -1) return &tocha_formula_reciprocal;
  if (exponent == -2) return &tocha_formula_inverse_square;
  return NULL;
}

bool tocha_prepare_pow(tocha_context *cx, tocha_formula_use *use) {
  const tocha_operand *exponent = &use->operands[1];
  if (!use->operands[0].tensor) use->layout = TOCHA_LAID_ROWS;
  if (exponent->tensor) return true;
  use->layout = TOCHA_LAID_FIRST;
  if (!check_exponent(cx, use->type, exponent->scalar)) return false;
  if (use->operands[0].tensor && use->type == TOCHA_BOOL &&
      exponent->scalar.kind == TOCHA_SCALAR_BOOL)
    use->formula = &tocha_formula_ge; /* for bool, self ^ exponent is self >= exponent */
  if (!use->operands[0].tensor || use->type == TOCHA_BOOL) return true;
  double number = tocha_scalar_real(exponent->scalar);
  const tocha_formula *cheaper = tocha_stepwise_power(cx, use, number);
  if (!cheaper) cheaper = formula_of_power(use->type, number);
  if (cheaper) {
    use->formula = cheaper;
    use->count = 1;
  }
  return true;
}
