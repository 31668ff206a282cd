/* fused.c: chooses between the fused kernels and operators (fused.h). */
#include "ops/recurrent/digits/fused.h"

#include "dispatch/rounding.h"
#include "tocha/amp.h"

/* Operators round 16-bit results after every step, and oneDNN does not. Under autocast the layer is
 * made of operators, because autocast's rules are about operators. */
bool tocha_recurrent_is_fused(const tocha_context *cx, const tocha_tensor *input,
                              bool rounded_once) {
  if (!tocha_dtype_is_floating(input->dtype)) return false;
  if (input->device.type != TOCHA_CPU) return true;
  if (rounded_once && (input->dtype == TOCHA_BFLOAT16 || tocha_autocast_enabled(cx, TOCHA_CPU)))
    return true;
  return !tocha_autocast_enabled(cx, TOCHA_CPU) &&
         !tocha_rounds_steps(cx, input->dtype, input->device);
}
