/* rounded_operators.c: composites of 16-bit types that PyTorch's CPU rounds after every step (rounds =
 * "steps"). */
#include "ops/pointwise/addr.h"
#include "pointwise/implementations.h"
#include "tensor/math/rounded.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clamp.h"
#include "tocha/ops/div.h"
#include "tocha/ops/log.h"
#include "tocha/ops/lt.h"
#include "tocha/ops/masked_fill.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/rsub.h"

tocha_tensor *tocha_steps_logit(tocha_context *cx, tocha_tensor *self, const double *eps) {
  tocha_tensor *x = self;
  if (eps && *eps >= 0) {
    tocha_scalar maximum = tocha_float(1 - *eps);
    tocha_operand minimum = tocha_number(tocha_float(*eps));
    x = tocha_masked_fill_full(cx, tocha_clamp(cx, self, NULL, &maximum),
                               tocha_lt_full(cx, self, minimum), minimum);
  }
  tocha_tensor *rest = tocha_rsub_full(cx, x, tocha_number(tocha_int(1)), tocha_int(1));
  return tocha_log(cx, tocha_div(cx, x, rest));
}

static tocha_operand rounded_factor(tocha_scalar factor, tocha_dtype type) {
  return tocha_number(tocha_float(tocha_rounded(tocha_scalar_real(factor), type)));
}

tocha_tensor *tocha_steps_addr(tocha_context *cx, tocha_tensor *self, tocha_tensor *vec1,
                               tocha_tensor *vec2, tocha_scalar beta, tocha_scalar alpha) {
  tocha_addr_call c;
  if (!tocha_read_addr(cx, &c, self, vec1, vec2, beta, alpha)) return NULL;
  if (tocha_dtype_size(c.type) != 2) return tocha_op_addr(cx, self, vec1, vec2, beta, alpha);
  tocha_tensor *scaled =
      tocha_mul_full(cx, c.operands[1].tensor, rounded_factor(c.numbers[1], c.type));
  tocha_tensor *product = tocha_mul(cx, scaled, vec2);
  if (tocha_scalar_real(beta) == 0) return product;
  return tocha_add(cx, tocha_mul_full(cx, self, rounded_factor(c.numbers[0], c.type)), product);
}

tocha_tensor *tocha_steps_addr_inplace(tocha_context *cx, tocha_tensor *self, tocha_tensor *vec1,
                                       tocha_tensor *vec2, tocha_scalar beta, tocha_scalar alpha) {
  if (!tocha_check_addr_inplace(cx, self, vec1, vec2)) return NULL;
  return tocha_steps_addr(cx, self, vec1, vec2, beta, alpha);
}
