/* launch.h: starts the kernels of the family shape: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/shape/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_cat(Stream *stream, const tocha_cat_args &args);
bool launch_repeat_positions(Stream *stream, const tocha_repeat_positions_args &args);
bool launch_pad(Stream *stream, const tocha_pad_args &args);
bool launch_pad_backward(Stream *stream, const tocha_pad_args &args);

} // namespace tocha
