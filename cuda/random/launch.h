/* launch.h: starts the kernels of the family random: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/random/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_random(Stream *stream, const tocha_random_args &args);
bool launch_bernoulli(Stream *stream, const tocha_bernoulli_args &args);
bool launch_dropout(Stream *stream, const tocha_dropout_args &args);
bool launch_shuffle(Stream *stream, const tocha_shuffle_args &args);
bool launch_check_weights(Stream *stream, const tocha_weights_args &args);
bool launch_categorical(Stream *stream, const tocha_categorical_args &args);

} // namespace tocha
