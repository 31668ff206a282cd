/* launch.h: starts the kernels of the family recurrent: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/recurrent/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_recurrent_forward(Stream *stream, const tocha_recurrent_args &args);
bool launch_recurrent_backward(Stream *stream, const tocha_recurrent_args &args);

} // namespace tocha
