/* kernels.cpp: the table of the family optim. */
#include "common/entry.h"
#include "optim/launch.h"

namespace tocha {

extern const tocha_optim_kernels optim_kernels;
const tocha_optim_kernels optim_kernels = {
    entry<tocha_step_args, launch_step>,
};

} // namespace tocha
