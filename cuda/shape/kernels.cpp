/* kernels.cpp: the table of the family shape. */
#include "common/entry.h"
#include "shape/launch.h"

namespace tocha {

extern const tocha_shape_kernels shape_kernels;
const tocha_shape_kernels shape_kernels = {
    entry<tocha_cat_args, launch_cat>,
    entry<tocha_repeat_positions_args, launch_repeat_positions>,
    nullptr,
    entry<tocha_pad_args, launch_pad>,
    entry<tocha_pad_args, launch_pad_backward>,
};

} // namespace tocha
