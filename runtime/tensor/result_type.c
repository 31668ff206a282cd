/* result_type.c: PyTorch's type promotion of operands. */
#include "tensor/result_type.h"

/* Returns 0 for bool, 1 for integers, 2 for floating point, -1 for no dtype. */
static int category(tocha_dtype d) {
  return d == TOCHA_NO_DTYPE ? -1 : d == TOCHA_BOOL ? 0 : tocha_is_floating(d) ? 2 : 1;
}

static tocha_dtype promote(tocha_dtype a, tocha_dtype b) {
  return a == TOCHA_NO_DTYPE ? b : b == TOCHA_NO_DTYPE ? a : tocha_promote_types(a, b);
}

/* Combines the dtype of a class of operands with that of a lower class (0-dim tensors, then
 * numbers), which matters only if its category is higher. */
static tocha_dtype widen(tocha_dtype upper, tocha_dtype lower) {
  return category(lower) > category(upper) ? promote(upper, lower) : upper;
}

tocha_dtype tocha_promote_operands(const tocha_context *cx, int count,
                                   const tocha_operand *operands, tocha_dtype pair[2]) {
  tocha_dtype found[3] = {TOCHA_NO_DTYPE, TOCHA_NO_DTYPE, TOCHA_NO_DTYPE};
  for (int i = 0; i < count; i++) {
    const tocha_tensor *t = operands[i].tensor;
    tocha_scalar_kind kind = operands[i].scalar.kind;
    tocha_dtype *class = &found[!t ? 2 : t->ndim == 0];
    pair[0] = *class;
    pair[1] = t                            ? (tocha_dtype)t->dtype
              : kind == TOCHA_SCALAR_FLOAT ? cx->default_dtype
              : kind == TOCHA_SCALAR_BOOL  ? TOCHA_BOOL
                                           : TOCHA_INT64;
    *class = promote(pair[0], pair[1]);
    if (*class == TOCHA_NO_DTYPE) return TOCHA_NO_DTYPE;
  }
  for (int i = 1; i < 3; i++) {
    pair[0] = found[0];
    pair[1] = found[i];
    found[0] = widen(pair[0], pair[1]);
    if (pair[1] != TOCHA_NO_DTYPE && found[0] == TOCHA_NO_DTYPE) return TOCHA_NO_DTYPE;
  }
  return found[0];
}

tocha_dtype tocha_result_type(const tocha_context *cx, int count, const tocha_operand *operands) {
  tocha_dtype pair[2];
  return tocha_promote_operands(cx, count, operands, pair);
}
