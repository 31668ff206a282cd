/* launch.h: starts the kernels of the family normalization: launch_NAME, in its .cu file. */
#pragma once

#include "ops/normalization/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_softmax(Stream *stream, const tocha_softmax_args &args);
bool launch_norm(Stream *stream, const tocha_norm_args &args);
bool launch_norm_backward(Stream *stream, const tocha_norm_args &args);
bool launch_norm_weights(Stream *stream, const tocha_norm_args &args);

} // namespace tocha
