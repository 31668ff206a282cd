/* fill.h: fills tensors from the CPU's generator, in the order of their memory (fill.c). */
#ifndef TOCHA_RANDOM_CPU_FILL_H
#define TOCHA_RANDOM_CPU_FILL_H

#include "ops/random/kernels.h"

enum { TOCHA_RANDOM_BLOCK = 1024 }; /* number of samples that are converted together */

bool tocha_random_on_cpu(tocha_stream *stream, const tocha_random_args *args);

#endif
