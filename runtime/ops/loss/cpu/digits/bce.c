/* bce.c: the loss of bce.h. */
#include "ops/loss/cpu/digits/bce.h"

#include <math.h>

#include "dispatch/rounding.h"
#include "ops/loss/loss.h"
#include "tensor/math/rounded.h"

bool tocha_bce_rounds_steps(const tocha_context *cx, const tocha_loss_args *args) {
  return args->kind == TOCHA_LOSS_BCE && args->order == 0 && args->compute == TOCHA_FLOAT32 &&
         tocha_rounds_steps(cx, args->layout->dtype[1], tocha_cpu());
}

static float at_least(double x) { return x < -100 ? -100 : (float)x; }

void tocha_bce_by_steps(const tocha_loss_args *args, float *out, const float *x, const float *t,
                        const float *factor, const int64_t *inner, int64_t n) {
  int dtype = args->layout->dtype[1];
  for (int64_t i = 0; i < n; i++) {
    float share = t[inner[2] ? i : 0], given = x[inner[1] ? i : 0];
    float other = at_least(tocha_rounded(log1pf(-given), dtype));
    float log_x = at_least(tocha_rounded(logf(given), dtype));
    double first = tocha_rounded(tocha_rounded(share - 1, dtype) * other, dtype);
    double loss = first - tocha_rounded(share * log_x, dtype);
    loss = tocha_rounded(loss, dtype) * args->norm;
    out[i] = (float)(factor ? loss * factor[inner[3] ? i : 0] : loss);
  }
}
