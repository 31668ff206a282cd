/* statistics.h: statistics of batches of 16-bit types, rounded where PyTorch's CPU rounds them (statistics.c). kept: the dtype
 * in which the statistics are returned. */
#ifndef TOCHA_ROUNDED_STATISTICS_H
#define TOCHA_ROUNDED_STATISTICS_H

#include "device/devices.h"
#include "ops/normalization/norm.h"

/* Returns true if a batch's statistics are computed in bfloat16 itself. */
bool tocha_counts_in_bfloat16(const tocha_context *cx, const tocha_norm_call *c, tocha_dtype kept);
/* Computes the statistics of `args` again, and from them the running ones, every step rounded to bfloat16. */
void tocha_count_in_bfloat16(const tocha_norm_call *c, const tocha_norm_args *args,
                             tocha_tensor *const *running);
/* Normalizes once more, by the statistics rounded to `kept`, if the result depends on the rounded ones. */
bool tocha_apply_rounded_statistics(tocha_context *cx, tocha_norm_call *c,
                                    const tocha_norm_args *args, tocha_stream *s, tocha_dtype kept);

#endif
