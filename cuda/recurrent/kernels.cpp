/* kernels.cpp: the table of the family recurrent. */
#include "common/entry.h"
#include "recurrent/launch.h"

namespace tocha {

extern const tocha_recurrent_kernels recurrent_kernels;
const tocha_recurrent_kernels recurrent_kernels = {
    entry<tocha_recurrent_args, launch_recurrent_forward>,
    entry<tocha_recurrent_args, launch_recurrent_backward>,
};

} // namespace tocha
