/* kernels.cpp: the table of the family pointwise. */
#include "common/entry.h"
#include "pointwise/launch.h"

namespace tocha {

extern const tocha_pointwise_kernels pointwise_kernels;
const tocha_pointwise_kernels pointwise_kernels = {
    entry<tocha_elementwise_args, launch_elementwise>,
};

} // namespace tocha
