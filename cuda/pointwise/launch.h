/* launch.h: starts the kernels of the family pointwise: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/pointwise/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_elementwise(Stream *stream, const tocha_elementwise_args &args);

} // namespace tocha
