/* launch.h: starts the kernels of the family optim: launch_NAME, defined in its .cu file. */
#pragma once

#include "optim/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_step(Stream *stream, const tocha_step_args &args);

} // namespace tocha
