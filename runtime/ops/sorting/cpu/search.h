/* search.h: the CPU's kernel `search`. */
#ifndef TOCHA_SORTING_CPU_SEARCH_H
#define TOCHA_SORTING_CPU_SEARCH_H

#include "ops/sorting/kernels.h"

bool tocha_cpu_search(tocha_stream *stream, const tocha_search_args *args);

#endif
