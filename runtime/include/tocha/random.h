/* random.h: random generators: the state behind rand, randn, dropout and others. A generator of
 * the CPU is PyTorch's mt19937, one of a GPU its Philox: the same seed gives the same numbers. */
#ifndef TOCHA_RANDOM_H
#define TOCHA_RANDOM_H

#include "tocha/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a generator for the CPU or a GPU, seeded with PyTorch's default seed; the caller owns
 * it. Fails if the device is missing, or has no generators. */
TOCHA_API tocha_generator *tocha_generator_new(tocha_context *cx, tocha_device device);
/* Returns a generator in the same state: both give the same numbers from here on. The caller
 * owns it. */
TOCHA_API tocha_generator *tocha_generator_copy(tocha_context *cx, const tocha_generator *source);
/* Frees a generator that the caller owns; NULL is allowed. */
TOCHA_API void tocha_generator_free(tocha_context *cx, tocha_generator *generator);

TOCHA_API tocha_device tocha_generator_device(const tocha_generator *generator);
/* Seeds the generator, as torch.Generator.manual_seed does. */
TOCHA_API void tocha_generator_reseed(tocha_generator *generator, uint64_t seed);
TOCHA_API uint64_t tocha_generator_initial_seed(const tocha_generator *generator);
/* Returns a random seed from the system, at most 2^63 - 1. */
TOCHA_API uint64_t tocha_random_seed(void);

/* Returns the size of the saved state in bytes, or saves it as torch.get_rng_state() and
 * torch.cuda.get_rng_state() do. */
TOCHA_API size_t tocha_generator_saved_size(const tocha_generator *generator);
TOCHA_API void tocha_generator_save(const tocha_generator *generator, void *state);
/* Replaces the generator's state. Fails with PyTorch's message, and leaves the generator
 * unchanged, if `state` is not valid. */
TOCHA_API bool tocha_generator_restore(tocha_context *cx, tocha_generator *generator,
                                       const void *state, size_t size);
/* Reads, or sets, the offset of a GPU's generator: the number of words that each thread has
 * drawn, a multiple of 4. Fails for the CPU's generators. */
TOCHA_API bool tocha_generator_offset(tocha_context *cx, const tocha_generator *generator,
                                      uint64_t *offset);
TOCHA_API bool tocha_generator_set_offset(tocha_context *cx, tocha_generator *generator,
                                          int64_t offset);

#ifdef __cplusplus
}
#endif
#endif
