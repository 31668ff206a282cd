/* kernels.cpp: the table of the family random. */
#include "common/entry.h"
#include "random/launch.h"

namespace tocha {

extern const tocha_random_kernels random_kernels;
const tocha_random_kernels random_kernels = {
    entry<tocha_random_args, launch_random>,
    entry<tocha_bernoulli_args, launch_bernoulli>,
    entry<tocha_dropout_args, launch_dropout>,
    nullptr,
    entry<tocha_shuffle_args, launch_shuffle>,
    entry<tocha_weights_args, launch_check_weights>,
    nullptr,
    entry<tocha_categorical_args, launch_categorical>,
};

} // namespace tocha
