/* random.h: random generators: the state behind rand, randn, dropout and the rest. A generator of the CPU is PyTorch's
 * mt19937, one of a GPU its Philox: the same seed gives the same numbers. */
#ifndef TOCHA_RANDOM_H
#define TOCHA_RANDOM_H

#include "tocha/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A generator for the CPU or a GPU, seeded with PyTorch's default seed; the caller owns it. NULL, with an error, where the
 * device is not there or has none. */
TOCHA_API tocha_generator *tocha_generator_new(tocha_context *cx, tocha_device device);
/* One with the same past: both give the same numbers from here on. The caller owns it. */
TOCHA_API tocha_generator *tocha_generator_copy(tocha_context *cx, const tocha_generator *source);
/* Of one that the caller owns; NULL is allowed. */
TOCHA_API void tocha_generator_free(tocha_context *cx, tocha_generator *generator);

TOCHA_API tocha_device tocha_generator_device(const tocha_generator *generator);
/* torch.Generator.manual_seed. */
TOCHA_API void tocha_generator_reseed(tocha_generator *generator, uint64_t seed);
TOCHA_API uint64_t tocha_generator_initial_seed(const tocha_generator *generator);
/* A seed of the system's randomness, at most 2^63 - 1. */
TOCHA_API uint64_t tocha_random_seed(void);

/* Its state as torch.get_rng_state() and torch.cuda.get_rng_state() have it: so many bytes. */
TOCHA_API size_t tocha_generator_saved_size(const tocha_generator *generator);
TOCHA_API void tocha_generator_save(const tocha_generator *generator, void *state);
/* Takes a state over; false, with PyTorch's message and the generator as it was, where it is none. */
TOCHA_API bool tocha_generator_restore(tocha_context *cx, tocha_generator *generator,
                                       const void *state, size_t size);
/* How far a GPU's generator is: words that each thread has had, a multiple of 4. An error on the CPU. */
TOCHA_API bool tocha_generator_offset(tocha_context *cx, const tocha_generator *generator,
                                      uint64_t *offset);
TOCHA_API bool tocha_generator_set_offset(tocha_context *cx, tocha_generator *generator,
                                          int64_t offset);

#ifdef __cplusplus
}
#endif
#endif
