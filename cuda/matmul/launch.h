/* launch.h: starts the kernels of the family matmul: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/matmul/kernels.h"
#include "runtime/state.h"

namespace tocha {

enum { DOT_PARTS = 256 }; /* partial sums of a dot product, a double each */

bool launch_gemm(Stream *stream, const tocha_gemm_args &args);
bool launch_scaled_gemm(Stream *stream, const tocha_scaled_gemm_args &args);
bool launch_int_gemm(Stream *stream, const tocha_int_gemm_args &args);
bool launch_dot(Stream *stream, const tocha_dot_args &args);

} // namespace tocha
