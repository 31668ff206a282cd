/* kernels.cpp: the table of the family indexing. */
#include "common/entry.h"
#include "indexing/launch.h"

namespace tocha {

extern const tocha_indexing_kernels indexing_kernels;
const tocha_indexing_kernels indexing_kernels = {
    nullptr, /* the kernels themselves check positions */
    entry<tocha_index_args, launch_index>,
    entry<tocha_index_keys_args, launch_index_keys>,
    entry<tocha_accumulate_args, launch_accumulate>,
    entry<tocha_count_nonzero_args, launch_count_nonzero>,
    entry<tocha_write_nonzero_args, launch_write_nonzero>,
    entry<tocha_where_args, launch_where>,
    entry<tocha_join_args, launch_join>,
    true,
    entry<tocha_bag_args, launch_bags>,
    entry<tocha_bag_args, launch_bags_grad>,
    entry<tocha_bag_args, launch_bags_scale_grad>,
    entry<tocha_scatter_rows_args, launch_scatter_rows>,
};

} // namespace tocha
