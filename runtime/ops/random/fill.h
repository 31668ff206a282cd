/* fill.h: filling tensors that exist with random numbers (ops/random.c). In the order of
 * memory, from generator (NULL: the context's). false with PyTorch's message. No autograd. */
#ifndef TOCHA_RANDOM_FILL_H
#define TOCHA_RANDOM_FILL_H

#include "core/internal.h"

/* [from, to), floating point only. */
bool tocha_fill_uniform(tocha_context *cx, tocha_tensor *t, double from, double to,
                        tocha_generator *generator);
/* Floating point only. */
bool tocha_fill_normal(tocha_context *cx, tocha_tensor *t, double mean, double std,
                       tocha_generator *generator);
/* Integers from, ..., to - 1. */
bool tocha_fill_integers(tocha_context *cx, tocha_tensor *t, int64_t from, int64_t to,
                         tocha_generator *generator);
/* value with probability p, else 0. */
bool tocha_fill_bernoulli(tocha_context *cx, tocha_tensor *t, double p, double value,
                          tocha_generator *generator);

#endif
