/* kernels.cpp: the table of the family pooling. */
#include "common/entry.h"
#include "pooling/launch.h"

namespace tocha {

extern const tocha_pooling_kernels pooling_kernels;
const tocha_pooling_kernels pooling_kernels = {
    entry<tocha_pool_args, launch_max_pool>,
    entry<tocha_pool_args, launch_average_pool>,
    entry<tocha_pool_args, launch_average_pool_backward>,
};

} // namespace tocha
