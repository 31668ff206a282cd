/* fill.h: filling tensors that exist with random numbers, from generator (NULL: the device's own). false
 * with an error. No autograd. */
#ifndef TOCHA_RANDOM_FILL_H
#define TOCHA_RANDOM_FILL_H

#include "device/devices.h"
#include "ops/random/kernels.h"

/* Numbers of the distribution that args says (distribution, a, b, range, base, wide; the rest is set here).
 * fill.c */
bool tocha_fill_random(tocha_context *cx, tocha_tensor *t, tocha_random_args *args,
                       tocha_generator *generator);
/* Where the CPU's generator draws for devices too (cx->host_random): a tensor of the host to be filled
 * instead of t, with t's strides, on which the numbers depend. */
tocha_tensor *tocha_on_host_instead(tocha_context *cx, tocha_tensor *t);
static inline bool tocha_is_drawn_on_host(const tocha_context *cx, const tocha_tensor *t) {
  return cx->host_random && t->device.type != TOCHA_CPU;
}

/* A vector of t's elements, broadcast to the sizes of `dense`, in the order of dense's memory, which has no
 * gaps: a copy, or of t = dense a view. */
tocha_tensor *tocha_as_vector_along(tocha_context *cx, tocha_tensor *t, tocha_tensor *dense);

/* [from, to), floating point only. */
bool tocha_fill_uniform(tocha_context *cx, tocha_tensor *t, double from, double to,
                        tocha_generator *generator);
/* Floating point only. */
bool tocha_fill_normal(tocha_context *cx, tocha_tensor *t, double mean, double std,
                       tocha_generator *generator);
/* Integers from, ..., to - 1. */
bool tocha_fill_integers(tocha_context *cx, tocha_tensor *t, int64_t from, int64_t to,
                         tocha_generator *generator);
/* A vector of int64, row-major and not empty, becomes 0, ..., n - 1 in random order. */
bool tocha_fill_permutation(tocha_context *cx, tocha_tensor *order, tocha_generator *generator);
/* value with probability p, else 0. */
bool tocha_fill_bernoulli(tocha_context *cx, tocha_tensor *t, double p, double value,
                          tocha_generator *generator);
/* NULL, with "\"KERNELcpu\" not implemented for 'Int'" (cuda for a GPU): kernel is the name up to there. */
void *tocha_refuse_random_type(tocha_context *cx, const char *kernel, const tocha_tensor *t);

#endif
