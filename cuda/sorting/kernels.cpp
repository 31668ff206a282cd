/* kernels.cpp: the table of the family sorting. */
#include "common/entry.h"
#include "sorting/launch.h"

namespace tocha {

extern const tocha_sorting_kernels sorting_kernels;
const tocha_sorting_kernels sorting_kernels = {
    scratch_entry<tocha_sort_args, sort_scratch>,
    entry<tocha_sort_args, launch_sort>,
    scratch_entry<tocha_select_args, select_scratch>,
    entry<tocha_select_args, launch_select>,
    scratch_entry<tocha_unique_args, unique_scratch>,
    entry<tocha_unique_args, launch_unique>,
    entry<tocha_histogram_args, launch_histogram>,
    entry<tocha_integer_range_args, launch_integer_range>,
    entry<tocha_search_args, launch_search>,
};

} // namespace tocha
