/* launch.h: starts the kernels of the family tensor: launch_NAME, defined in its .cu file. */
#pragma once

#include "tensor/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_copy(Stream *stream, const tocha_strided_layout &args);
bool launch_fill(Stream *stream, const tocha_fill_args &args);

} // namespace tocha
