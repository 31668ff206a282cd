/* kernels.cpp: the table of the family normalization. */
#include "common/entry.h"
#include "normalization/launch.h"

namespace tocha {

extern const tocha_normalization_kernels normalization_kernels;
const tocha_normalization_kernels normalization_kernels = {
    entry<tocha_softmax_args, launch_softmax>,
    entry<tocha_norm_args, launch_norm>,
    entry<tocha_norm_args, launch_norm_backward>,
    entry<tocha_norm_args, launch_norm_weights>,
};

} // namespace tocha
