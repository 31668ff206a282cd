/* launch.h: what starts each kernel of the family optim: launch_NAME, in its .cu file. */
#pragma once

#include "optim/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_step(Stream *stream, const tocha_step_args &args);

} // namespace tocha
