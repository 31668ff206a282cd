/* kernels.cpp: the table of the family loss. */
#include "common/entry.h"
#include "loss/launch.h"

namespace tocha {

extern const tocha_loss_kernels loss_kernels;
const tocha_loss_kernels loss_kernels = {
    entry<tocha_loss_args, launch_loss>,        entry<tocha_loss_sum_args, launch_loss_sum>,
    scratch_entry<tocha_nll_args, nll_scratch>, entry<tocha_nll_args, launch_nll_loss>,
    entry<tocha_ctc_args, launch_ctc>,
};

} // namespace tocha
