/* kernels.cpp: the table of the family creation. */
#include "common/entry.h"
#include "creation/launch.h"

namespace tocha {

extern const tocha_creation_kernels creation_kernels;
const tocha_creation_kernels creation_kernels = {
    entry<tocha_sequence_args, launch_sequence>,
    entry<tocha_triangle_args, launch_triangle>,
    entry<tocha_triangle_indices_args, launch_triangle_indices>,
};

} // namespace tocha
