/* launch.h: starts the kernels of the family loss: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/loss/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_loss(Stream *stream, const tocha_loss_args &args);
size_t nll_scratch(Stream *stream, const tocha_nll_args &args);
bool launch_nll_loss(Stream *stream, const tocha_nll_args &args);

} // namespace tocha
