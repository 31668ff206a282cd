/* launch.h: starts the kernels of the family amp: launch_NAME, defined in its .cu file. */
#pragma once

#include "amp/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_scale_list(Stream *stream, const tocha_scale_list_args &args);
bool launch_norms(Stream *stream, const tocha_norms_args &args);
bool launch_total_norm(Stream *stream, const tocha_total_norm_args &args);
bool launch_update_scale(Stream *stream, const tocha_update_scale_args &args);

} // namespace tocha
