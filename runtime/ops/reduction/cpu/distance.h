/* distance.h: the CPU's kernel `distance`. */
#ifndef TOCHA_REDUCTION_CPU_DISTANCE_H
#define TOCHA_REDUCTION_CPU_DISTANCE_H

#include "ops/reduction/kernels.h"

bool tocha_cpu_distance(tocha_stream *stream, const tocha_distance_args *args);

#endif
