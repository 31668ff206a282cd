/* join.h: the CPU's kernel `join`. */
#ifndef TOCHA_INDEXING_CPU_JOIN_H
#define TOCHA_INDEXING_CPU_JOIN_H

#include "ops/indexing/kernels.h"

bool tocha_cpu_join(tocha_stream *stream, const tocha_join_args *args);

#endif
