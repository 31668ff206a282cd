/* launch.h: what starts each kernel of the family matmul: launch_NAME, in its .cu file. */
#pragma once

#include "ops/matmul/kernels.h"
#include "runtime/state.h"

namespace tocha {

enum { DOT_PARTS = 256 }; /* sums of a dot, a double each */

bool launch_gemm(Stream *stream, const tocha_gemm_args &args);
bool launch_dot(Stream *stream, const tocha_dot_args &args);

} // namespace tocha
