/* fill.h: tensors filled by the CPU's generator, in the order of their memory (fill.c). */
#ifndef TOCHA_RANDOM_CPU_FILL_H
#define TOCHA_RANDOM_CPU_FILL_H

#include "ops/random/kernels.h"

enum { TOCHA_RANDOM_BLOCK = 1024 }; /* elements that are drawn at a time where they are converted */

bool tocha_random_on_cpu(tocha_stream *stream, const tocha_random_args *args);

#endif
