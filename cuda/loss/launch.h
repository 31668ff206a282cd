/* launch.h: starts the kernels of the family loss: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/loss/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_loss(Stream *stream, const tocha_loss_args &args);
bool launch_loss_sum(Stream *stream, const tocha_loss_sum_args &args);
/* Returns true if launch_dense_loss computes this part of a loss (dense_loss.cu). */
bool takes_dense_loss(const tocha_loss_args &args, const tocha_strided_layout &layout);
bool launch_dense_loss(Stream *stream, const tocha_loss_args &args,
                       const tocha_strided_layout &layout);
size_t nll_scratch(Stream *stream, const tocha_nll_args &args);
bool launch_nll_loss(Stream *stream, const tocha_nll_args &args);
bool launch_ctc(Stream *stream, const tocha_ctc_args &args);

} // namespace tocha
