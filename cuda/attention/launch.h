/* launch.h: starts the kernels of the family attention: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/attention/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_block_weights(Stream *stream, const tocha_score_block &args);
bool launch_block_slopes(Stream *stream, const tocha_score_block &args);

} // namespace tocha
