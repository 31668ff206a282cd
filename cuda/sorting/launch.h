/* launch.h: starts the kernels of the family sorting: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/sorting/kernels.h"
#include "runtime/state.h"

namespace tocha {

size_t sort_scratch(Stream *stream, const tocha_sort_args &args);
bool launch_sort(Stream *stream, const tocha_sort_args &args);
size_t select_scratch(Stream *stream, const tocha_select_args &args);
bool launch_select(Stream *stream, const tocha_select_args &args);
size_t unique_scratch(Stream *stream, const tocha_unique_args &args);
bool launch_unique(Stream *stream, const tocha_unique_args &args);
bool launch_histogram(Stream *stream, const tocha_histogram_args &args);
bool launch_integer_range(Stream *stream, const tocha_integer_range_args &args);
bool launch_search(Stream *stream, const tocha_search_args &args);

} // namespace tocha
