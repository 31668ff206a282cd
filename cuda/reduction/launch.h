/* launch.h: what starts each kernel of the family reduction: launch_NAME, in its .cu file. */
#pragma once

#include "ops/reduction/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_reduce(Stream *stream, const tocha_reduce_args &args);

} // namespace tocha
