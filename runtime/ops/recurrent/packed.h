/* packed.h: reads lengths and batch sizes, which stay on the CPU (packed.c). */
#ifndef TOCHA_RECURRENT_PACKED_H
#define TOCHA_RECURRENT_PACKED_H

#include "core/internal.h"

/* Returns the elements of a 1-D int64 CPU tensor, in the current scope, and their number. Returns
 * NULL with an error set if `lengths` is not such a tensor. */
const int64_t *tocha_host_lengths(tocha_context *cx, tocha_tensor *lengths, int64_t *count);

#endif
