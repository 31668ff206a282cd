/* launch.h: starts the kernels of the family attention: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/attention/kernels.h"
#include "runtime/state.h"

namespace tocha {

/* Returns true if the kernels of tensor cores compute this call. */
bool takes_flash(Stream *stream, const tocha_attention_args &args);
bool launch_flash_forward(Stream *stream, const tocha_attention_args &args);
bool launch_flash_backward(Stream *stream, const tocha_attention_args &args);
bool launch_block_weights(Stream *stream, const tocha_score_block &args);
bool launch_block_slopes(Stream *stream, const tocha_score_block &args);

} // namespace tocha
