/* statistics.c: the steps of statistics.h. */
#include "ops/normalization/digits/statistics.h"

#include <math.h>

#include "dispatch/rounding.h"
#include "tensor/copy.h"
#include "tensor/math/rounded.h"

/* Returns true if PyTorch computes the batch's statistics in bfloat16: if the input is contiguous or channels-last. */
bool tocha_counts_in_bfloat16(const tocha_context *cx, const tocha_norm_call *c, tocha_dtype kept) {
  return c->rounded && !c->fixed && kept == TOCHA_BFLOAT16 &&
         tocha_rounds_steps(cx, TOCHA_BFLOAT16, c->input->device) &&
         (tocha_is_contiguous(c->input) || tocha_is_channels_last(c->input));
}

/* Computes the statistics with the sum of squares (recovered from rstd), the counts and the products rounded. */
void tocha_count_in_bfloat16(const tocha_norm_call *c, const tocha_norm_args *args,
                             tocha_tensor *const *running) {
  const int b = TOCHA_BFLOAT16;
  float *mean = args->mean, *rstd = args->rstd;
  float *running_mean = running[0] ? (float *)tocha_bytes(running[0]) : NULL;
  float *running_var = running[1] ? (float *)tocha_bytes(running[1]) : NULL;
  double count = (double)(c->runs * c->length), n = tocha_rounded(count, b);
  double new = tocha_rounded(c->momentum, b), old = tocha_rounded(1 - new, b);
  for (int64_t i = 0; i < c->sets; i++) {
    double r = (double)rstd[i], squares = tocha_rounded((1 / (r * r) - c->eps) * count, b);
    rstd[i] = (float)(1 / sqrt(tocha_rounded(squares / n, b) + c->eps));
    if (running_mean)
      running_mean[i] = (float)(tocha_rounded(new *tocha_rounded((double)mean[i], b), b) +
                                tocha_rounded(old * (double)running_mean[i], b));
    if (running_var)
      running_var[i] = (float)(new *tocha_rounded(squares / tocha_rounded(count - 1, b), b) +
                               tocha_rounded(old * (double)running_var[i], b));
  }
}

bool tocha_apply_rounded_statistics(tocha_context *cx, tocha_norm_call *c,
                                    const tocha_norm_args *args, tocha_stream *s,
                                    tocha_dtype kept) {
  tocha_dtype compute = tocha_norm_compute_dtype(c->input);
  if (!c->rounded || c->fixed || kept == compute || !tocha_rounds_steps(cx, kept, c->input->device))
    return true;
  tocha_norm_args again = *args;
  tocha_tensor *mean = tocha_as_dtype(cx, tocha_as_dtype(cx, c->mean, kept), compute);
  tocha_tensor *rstd = tocha_as_dtype(cx, tocha_as_dtype(cx, c->rstd, kept), compute);
  if (!mean || !rstd) return false;
  again.mean = tocha_bytes(mean);
  again.rstd = tocha_bytes(rstd);
  again.known = true;
  return tocha_launched(cx, s->kernels->normalization->norm(s, &again));
}
