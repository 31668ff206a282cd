/* float8.c: the checks of float8.h. */
#include "ops/pointwise/float8.h"

#include "core/internal.h"
#include "dispatch/float8.h"

bool tocha_uses_float8(const tocha_formula_use *use) {
  for (int i = 0; i < use->count; i++)
    if (use->operands[i].tensor && tocha_is_float8(use->operands[i].tensor->dtype)) return true;
  return false;
}

/* Returns true if the second of two operands is a number, or a 0-dim tensor on the CPU. PyTorch
 * multiplies and divides by it in a kernel of its own. */
static bool has_number(const tocha_formula_use *use) {
  const tocha_tensor *second = use->count == 2 ? use->operands[1].tensor : NULL;
  return use->count == 2 && (!second || (second->ndim == 0 && second->device.type == TOCHA_CPU));
}

bool tocha_check_float8_use(tocha_context *cx, const tocha_formula_use *use,
                            const tocha_tensor *out) {
  bool empty;
  if (use->type == TOCHA_NO_DTYPE)
    return tocha_refuse_float8_operands(cx, use->count, use->operands);
  if (!tocha_is_float8(use->type) || !use->float8) return true;
  tocha_float8_rule rule = *use->float8;
  if (rule.words_beside_number && has_number(use)) {
    rule.words = rule.words_beside_number;
    rule.accepted = 0;
  }
  return !rule.words ||
         (tocha_check_shapes(cx, use, out, &empty) && tocha_accepts_float8(cx, &rule, use->type));
}
