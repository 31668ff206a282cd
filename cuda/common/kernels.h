/* kernels.h: what starts each row of kernels.def, in the .cu file of its family: launch_NAME, with
 * the stream's device current (backend.cpp sees to that). It does not wait. */
#pragma once

#include "runtime/state.h"

namespace tocha {

#define KERNEL(name, args) bool launch_##name(Stream *stream, const args &work);
#include "device/kernels.def"
#undef KERNEL

} // namespace tocha
