/* elementwise.cu: hands a row of elementwise.def to the file that holds its kernels. */
#include "pointwise/elementwise_shards.h"
#include "pointwise/launch.h"

namespace tocha {

static const ElementwiseStart shards[ELEMENTWISE_SHARDS] = {
#define ADDRESS(number) elementwise_shard_##number,
    SHARD_LIST(ADDRESS)
#undef ADDRESS
};

bool launch_elementwise(Stream *stream, const tocha_elementwise_args &work) {
  return shards[work.row % ELEMENTWISE_SHARDS](stream, work) && launched(stream);
}

} // namespace tocha
