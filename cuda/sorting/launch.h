/* launch.h: what starts each kernel of the family sorting: launch_NAME, in its .cu file. */
#pragma once

#include "ops/sorting/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_sort(Stream *stream, const tocha_sort_args &args);
bool launch_select(Stream *stream, const tocha_select_args &args);
bool launch_histogram(Stream *stream, const tocha_histogram_args &args);

} // namespace tocha
