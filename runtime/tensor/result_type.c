/* result_type.c: PyTorch's type promotion of operands. */
#include "core/internal.h"

/* Returns 0 for bool, 1 for integers, 2 for floating point, -1 for no dtype. */
static int category(tocha_dtype d) {
  return d == TOCHA_NO_DTYPE ? -1 : d == TOCHA_BOOL ? 0 : tocha_dtype_is_floating(d) ? 2 : 1;
}

static tocha_dtype promote(tocha_dtype a, tocha_dtype b) {
  return a == TOCHA_NO_DTYPE ? b : b == TOCHA_NO_DTYPE ? a : tocha_promote_types(a, b);
}

/* Combines the dtype of a class of operands with that of a lower class (0-dim tensors, then
 * numbers), which matters only if its category is higher. */
static tocha_dtype widen(tocha_dtype upper, tocha_dtype lower) {
  return category(lower) > category(upper) ? promote(upper, lower) : upper;
}

tocha_dtype tocha_result_type(const tocha_context *cx, int count, const tocha_operand *operands) {
  tocha_dtype dimensioned = TOCHA_NO_DTYPE, zero = TOCHA_NO_DTYPE, number = TOCHA_NO_DTYPE;
  for (int i = 0; i < count; i++) {
    const tocha_tensor *t = operands[i].tensor;
    if (!t) {
      tocha_scalar_kind kind = operands[i].scalar.kind;
      number = promote(number, kind == TOCHA_SCALAR_FLOAT  ? cx->default_dtype
                               : kind == TOCHA_SCALAR_BOOL ? TOCHA_BOOL
                                                           : TOCHA_INT64);
    } else if (t->ndim == 0) {
      zero = promote(zero, t->dtype);
    } else {
      dimensioned = promote(dimensioned, t->dtype);
    }
  }
  return widen(widen(dimensioned, zero), number);
}
