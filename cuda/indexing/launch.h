/* launch.h: starts the kernels of the family indexing: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/indexing/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_index(Stream *stream, const tocha_index_args &args);
bool launch_index_keys(Stream *stream, const tocha_index_keys_args &args);
bool launch_accumulate(Stream *stream, const tocha_accumulate_args &args);
bool launch_count_nonzero(Stream *stream, const tocha_count_nonzero_args &args);
bool launch_write_nonzero(Stream *stream, const tocha_write_nonzero_args &args);
bool launch_where(Stream *stream, const tocha_where_args &args);
bool launch_scatter_rows(Stream *stream, const tocha_scatter_rows_args &args);
bool launch_join(Stream *stream, const tocha_join_args &args);
bool launch_bags(Stream *stream, const tocha_bag_args &args);
bool launch_bags_grad(Stream *stream, const tocha_bag_args &args);
bool launch_bags_scale_grad(Stream *stream, const tocha_bag_args &args);

} // namespace tocha
