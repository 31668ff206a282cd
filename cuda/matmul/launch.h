/* launch.h: what starts each kernel of the family matmul: launch_NAME, in its .cu file. */
#pragma once

#include "ops/matmul/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_product(Stream *stream, const tocha_product_args &args);
bool launch_dot(Stream *stream, const tocha_dot_args &args);

} // namespace tocha
