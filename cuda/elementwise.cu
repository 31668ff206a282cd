/* elementwise.cu: hands a row of elementwise.def to the file that holds its kernels. */
#include "elementwise_shards.h"
#include "kernels.h"

namespace tocha {

static const ElementwiseStart shards[ELEMENTWISE_SHARDS] = {
#define ADDRESS(number) elementwise_shard_##number,
    SHARD_LIST(ADDRESS)
#undef ADDRESS
};

bool launch_elementwise(Queue *queue, const tocha_elementwise_job &work) {
  return shards[work.row % ELEMENTWISE_SHARDS](queue, work) && launched(queue);
}

} // namespace tocha
