/* kernels.cpp: the table of the family resampling. */
#include "common/entry.h"
#include "resampling/launch.h"

namespace tocha {

extern const tocha_resampling_kernels resampling_kernels;
const tocha_resampling_kernels resampling_kernels = {
    entry<tocha_sample_args, launch_sample>, entry<tocha_sample_args, launch_spread>,
    entry<tocha_sample_args, launch_bring>,  entry<tocha_sample_args, launch_sample_slope>,
    entry<tocha_weigh_args, launch_weigh>,   nullptr,
    entry<tocha_resize_args, launch_resize>, entry<tocha_resize_args, launch_resize_backward>,
};

} // namespace tocha
