/* launch.h: starts the kernels of the family convolution: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/convolution/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_unfold(Stream *stream, const tocha_unfold_args &args);
bool takes_depthwise(const tocha_convolution_args &args);
bool launch_depthwise(Stream *stream, const tocha_convolution_args &args);
bool launch_fold(Stream *stream, const tocha_unfold_args &args);

} // namespace tocha
