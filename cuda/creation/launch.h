/* launch.h: starts the kernels of the family creation: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/creation/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_sequence(Stream *stream, const tocha_sequence_args &args);
bool launch_triangle(Stream *stream, const tocha_triangle_args &args);
bool launch_triangle_indices(Stream *stream, const tocha_triangle_indices_args &args);

} // namespace tocha
