/* kernels.cpp: the table of the family sorting. */
#include "common/entry.h"
#include "sorting/launch.h"

namespace tocha {

extern const tocha_sorting_kernels sorting_kernels;
const tocha_sorting_kernels sorting_kernels = {
    entry<tocha_sort_args, launch_sort>,
    entry<tocha_select_args, launch_select>,
    entry<tocha_histogram_args, launch_histogram>,
};

} // namespace tocha
