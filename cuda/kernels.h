/* kernels.h: what starts each row of kernels.def, in the .cu file of its family: launch_NAME, with
 * the queue's device current (backend.cpp sees to that). It does not wait. */
#pragma once

#include "state.h"

namespace tocha {

#define KERNEL(name, job) bool launch_##name(Queue *queue, const job &work);
#include "core/kernels.def"
#undef KERNEL

} // namespace tocha
