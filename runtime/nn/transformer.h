/* transformer.h: what the layers of a transformer (transformer_layers.c) and the stacks of them
 * (transformer.c) share. */
#ifndef TOCHA_NN_TRANSFORMER_H
#define TOCHA_NN_TRANSFORMER_H

#include "nn/construct.h"

/* Returns a mask as numbers to be added to the scores, of the dtype of `like`: a bool mask gives -inf
 * where it is true. Returns NULL for NULL, and on failure. */
tocha_tensor *tocha_additive_mask(tocha_context *cx, tocha_tensor *mask, const tocha_tensor *like);
/* Returns the number of steps of x, (L, N, E), (N, L, E) with batch_first, or (L, E). */
int64_t tocha_sequence_length(const tocha_tensor *x, bool batch_first);
/* Returns what the caller said, or true if the mask is the causal one of `size` steps. */
bool tocha_is_causal_mask(tocha_context *cx, tocha_tensor *mask, const tocha_arg *is_causal,
                          int64_t size);
/* Returns the child of this name, or NULL if there is none or it is None. */
tocha_module *tocha_module_child_named(const tocha_module *module, const char *name);

#endif
