/* elementwise_shards.h: the files that the rows of elementwise.def are spread over, row by row. */
#pragma once

#include "runtime/state.h"
#include "pointwise/launch.h"

namespace tocha {

enum { ELEMENTWISE_SHARDS = 8 };
typedef bool (*ElementwiseStart)(Stream *stream, const tocha_elementwise_args &args);

/* Starts a row of shard N: row % ELEMENTWISE_SHARDS == N. */
#define SHARD_LIST(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define DECLARE(number)                                                                            \
  bool elementwise_shard_##number(Stream *stream, const tocha_elementwise_args &args);
SHARD_LIST(DECLARE)
#undef DECLARE

} // namespace tocha
