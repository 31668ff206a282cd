/* kernels.cpp: the table of the family amp. */
#include "common/entry.h"
#include "amp/launch.h"

namespace tocha {

extern const tocha_amp_kernels amp_kernels;
const tocha_amp_kernels amp_kernels = {
    entry<tocha_scale_list_args, launch_scale_list>,
    entry<tocha_norms_args, launch_norms>,
    entry<tocha_total_norm_args, launch_total_norm>,
    entry<tocha_update_scale_args, launch_update_scale>,
};

} // namespace tocha
