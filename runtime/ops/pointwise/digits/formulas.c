/* formulas.c: chooses formulas that round 16-bit types after every step (formulas.h). */
#include "ops/pointwise/digits/formulas.h"

#include "device/devices.h"
#include "dispatch/rounding.h"
#include "pointwise/formulas/bfloat16_cube.h"
#include "pointwise/formulas/bfloat16_inverse_root.h"
#include "pointwise/formulas/bfloat16_inverse_square.h"
#include "pointwise/formulas/bfloat16_log_sigmoid_backward.h"
#include "pointwise/formulas/bfloat16_xlogy.h"
#include "pointwise/formulas/log_sigmoid_backward.h"
#include "pointwise/formulas/xlogy.h"
#include "pointwise/implementations.h"

bool tocha_formula_rounds_steps(const tocha_context *cx, const tocha_formula_use *use) {
  tocha_device device = tocha_cpu();
  for (int i = 0; i < 2; i++) {
    const tocha_tensor *t = use->operands[i].tensor;
    if (t && tocha_is_on_device(t)) device = t->device;
  }
  return tocha_rounds_steps(cx, use->type, device);
}

/* Replaces a formula by the one with a step that is rounded to bfloat16; entries name this function
 * as `prepare`. float16 is rounded only at the end. */
bool tocha_prepare_steps_of_bfloat16(tocha_context *cx, tocha_formula_use *use) {
  static const tocha_formula *const rounded[][2] = {
      {&tocha_formula_xlogy, &tocha_formula_bfloat16_xlogy},
      {&tocha_formula_log_sigmoid_backward, &tocha_formula_bfloat16_log_sigmoid_backward},
  };
  const tocha_formula *whole = use->formula;
  if (use->type != TOCHA_BFLOAT16 || !tocha_formula_rounds_steps(cx, use)) return true;
  for (int i = 0; i < TOCHA_COUNT(rounded); i++)
    if (rounded[i][0] == whole) use->formula = rounded[i][1];
  return true;
}

/* Applies on every device. float16 is rounded only at the end. A root has a rounded step only if
 * the elements do not fill two of PyTorch's vectors. */
const tocha_formula *tocha_stepwise_power(const tocha_context *cx, const tocha_formula_use *use,
                                          double exponent) {
  enum { TWO_VECTORS = 32 };
  if (use->type != TOCHA_BFLOAT16 || cx->digits != TOCHA_DIGITS_PYTORCH) return NULL;
  if (exponent == 3) return &tocha_formula_bfloat16_cube;
  if (exponent == -0.5 && use->operands[0].tensor->numel < TWO_VECTORS)
    return &tocha_formula_bfloat16_inverse_root;
  return exponent == -2 ? &tocha_formula_bfloat16_inverse_square : NULL;
}
