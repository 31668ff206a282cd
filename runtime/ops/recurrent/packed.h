/* packed.h: lengths and batch sizes, which stay on the CPU (packed.c). */
#ifndef TOCHA_RECURRENT_PACKED_H
#define TOCHA_RECURRENT_PACKED_H

#include "core/internal.h"

/* The numbers of a 1-D int64 tensor of the CPU, of the scope, and how many there are. NULL with an error. */
const int64_t *tocha_host_lengths(tocha_context *cx, tocha_tensor *lengths, int64_t *count);

#endif
