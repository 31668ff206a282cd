/* launch.h: what starts each kernel of the family recurrent: launch_NAME, in its .cu file. */
#pragma once

#include "ops/recurrent/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_recurrent_forward(Stream *stream, const tocha_recurrent_args &args);
bool launch_recurrent_backward(Stream *stream, const tocha_recurrent_args &args);

} // namespace tocha
