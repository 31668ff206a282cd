/* philox_device.h: random numbers of a device: which words a call takes, and which element gets which,
 * as PyTorch decides it (ops/random_device.c, cuda/random*.cu). */
#ifndef TOCHA_RANDOM_DEVICE_H
#define TOCHA_RANDOM_DEVICE_H

#include "device/devices.h"
#include "ops/random/kernels.h"

/* The generator a call for tensors of `device` draws from: the one given, or the device's own. NULL,
 * with PyTorch's message, where the given one is of another kind. */
tocha_generator *tocha_generator_for(tocha_context *cx, tocha_device device,
                                     tocha_generator *generator);

/* Fills t (which may be written) with numbers of the args's distribution: kind, a, b, base, range and
 * wide are given. */
bool tocha_random_on_device(tocha_context *cx, tocha_tensor *t, tocha_random_args *args,
                            tocha_generator *generator);
/* out becomes 1 with the probability p says, of sizes that broadcast to out's, else 0. */
bool tocha_bernoulli_on_device(tocha_context *cx, tocha_tensor *out, tocha_tensor *p,
                               tocha_generator *generator);
/* out = input / keep with probability keep, else 0; mask (bool): which. out and mask as
 * tocha_new_output makes them for input. */
bool tocha_dropout_on_device(tocha_context *cx, tocha_tensor *input, double keep, tocha_tensor *out,
                             tocha_tensor *mask);
/* 0, ..., n - 1 (n > 0) in random order: int64, dense. NULL on failure. */
tocha_tensor *tocha_permutation_on_device(tocha_context *cx, int64_t n, tocha_device device,
                                          tocha_generator *generator);
/* Categories (int64) drawn from each row of weights, (categories) or (rows, categories). NULL, with
 * PyTorch's message, for weights that are negative, not finite, or all 0. Waits, for that check. */
tocha_tensor *tocha_multinomial_on_device(tocha_context *cx, tocha_tensor *weights, int64_t samples,
                                          bool replacement, tocha_generator *generator);

#endif
