/* fill.h: fills existing tensors with random numbers from `generator`, or the device's own
 * generator if NULL. Functions return false with an error set. Autograd does not record them. */
#ifndef TOCHA_RANDOM_FILL_H
#define TOCHA_RANDOM_FILL_H

#include "device/devices.h"
#include "ops/random/kernels.h"

/* Fills t with numbers of the distribution in args (distribution, a, b, range, base, wide). Sets
 * the other members of args itself. */
bool tocha_fill_random(tocha_context *cx, tocha_tensor *t, tocha_random_args *args,
                       tocha_generator *generator);
/* Returns a host tensor with t's strides, to be filled instead of t if the CPU's generator serves
 * devices too (cx->host_random). The numbers depend on the strides. */
tocha_tensor *tocha_on_host_instead(tocha_context *cx, tocha_tensor *t);
static inline bool tocha_is_drawn_on_host(const tocha_context *cx, const tocha_tensor *t) {
  return cx->host_random && t->device.type != TOCHA_CPU;
}

/* Returns t's elements, broadcast to the sizes of `dense`, as a vector in the order of dense's
 * memory. Returns a copy, or a view if t is `dense`. */
tocha_tensor *tocha_as_vector_along(tocha_context *cx, tocha_tensor *t, tocha_tensor *dense);

/* Fills t with uniform numbers of [from, to). Floating point only. */
bool tocha_fill_uniform(tocha_context *cx, tocha_tensor *t, double from, double to,
                        tocha_generator *generator);
/* Fills t with normal numbers. Floating point only. */
bool tocha_fill_normal(tocha_context *cx, tocha_tensor *t, double mean, double std,
                       tocha_generator *generator);
/* Fills t with integers of from, ..., to - 1. */
bool tocha_fill_integers(tocha_context *cx, tocha_tensor *t, int64_t from, int64_t to,
                         tocha_generator *generator);
/* Fills order, a dense and nonempty int64 vector, with 0, ..., n - 1 in random order. */
bool tocha_fill_permutation(tocha_context *cx, tocha_tensor *order, tocha_generator *generator);
/* Fills t with `value` with probability p, else with 0. */
bool tocha_fill_bernoulli(tocha_context *cx, tocha_tensor *t, double p, double value,
                          tocha_generator *generator);
/* Fails with "\"KERNELcpu\" not implemented for 'Int'" (cuda for a GPU). kernel: the name before
 * the suffix. Returns NULL. */
void *tocha_refuse_random_type(tocha_context *cx, const char *kernel, const tocha_tensor *t);

#endif
