/* kernels.cpp: the table of the family reduction. */
#include "common/entry.h"
#include "reduction/launch.h"

namespace tocha {

extern const tocha_reduction_kernels reduction_kernels;
const tocha_reduction_kernels reduction_kernels = {
    reduce_input,
    scratch_entry<tocha_reduce_args, reduce_scratch>,
    entry<tocha_reduce_args, launch_reduce>,
    true,
    entry<tocha_distance_args, launch_distance>,
    nullptr,
};

} // namespace tocha
