/* launch.h: starts the kernels of the family reduction: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/reduction/kernels.h"
#include "reduction/plan.h"
#include "runtime/state.h"

namespace tocha {

tocha_reduce_input reduce_input(tocha_stream *stream, const tocha_reduce_args *args);
size_t reduce_scratch(Stream *stream, const tocha_reduce_args &args);
bool launch_reduce(Stream *stream, const tocha_reduce_args &args);
bool launch_distance(Stream *stream, const tocha_distance_args &args);

/* Runs a reduction of one kind. Each function is defined in a file of its own, reduce_row in
 * files that the build generates. */
bool reduce_row(Stream *stream, const ReducePlan &plan);
bool reduce_position(Stream *stream, const ReducePlan &plan);
bool reduce_variance(Stream *stream, const ReducePlan &plan);
bool reduce_log_sum_exp(Stream *stream, const ReducePlan &plan);

} // namespace tocha
