/* kernels.cpp: the table of the family convolution. */
#include "common/entry.h"
#include "convolution/launch.h"

namespace tocha {

extern const tocha_convolution_kernels convolution_kernels;
const tocha_convolution_kernels convolution_kernels = {
    entry<tocha_unfold_args, launch_unfold>,
    entry<tocha_unfold_args, launch_fold>,
    [](tocha_stream *, const tocha_convolution_args *args) { return takes_depthwise(*args); },
    entry<tocha_convolution_args, launch_depthwise>,
};

} // namespace tocha
