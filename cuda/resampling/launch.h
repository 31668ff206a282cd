/* launch.h: starts the kernels of the family resampling: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/resampling/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_sample(Stream *stream, const tocha_sample_args &args);
bool launch_spread(Stream *stream, const tocha_sample_args &args);
bool launch_bring(Stream *stream, const tocha_sample_args &args);
bool launch_sample_slope(Stream *stream, const tocha_sample_args &args);
bool launch_weigh(Stream *stream, const tocha_weigh_args &args);
bool launch_resize(Stream *stream, const tocha_resize_args &args);
bool launch_resize_backward(Stream *stream, const tocha_resize_args &args);

} // namespace tocha
