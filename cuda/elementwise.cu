/* elementwise.cu: hands a row of elementwise.def to the file that holds its kernels. */
#include "elementwise_shards.h"
#include "kernels.h"

using namespace tocha;

static const ElementwiseStart shards[ELEMENTWISE_SHARDS] = {
#define ADDRESS(number) elementwise_shard_##number,
    SHARD_LIST(ADDRESS)
#undef ADDRESS
};

bool tocha_cuda_elementwise(tocha_queue *queue, const tocha_elementwise_job *work) {
  return use_device(queue->state, queue->device) &&
         shards[work->row % ELEMENTWISE_SHARDS](own(queue), *work) && launched(queue);
}
