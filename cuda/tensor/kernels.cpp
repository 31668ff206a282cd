/* kernels.cpp: the table of the family tensor. */
#include "common/entry.h"
#include "tensor/launch.h"

namespace tocha {

extern const tocha_tensor_kernels tensor_kernels;
const tocha_tensor_kernels tensor_kernels = {
    entry<tocha_strided_layout, launch_copy>,
    entry<tocha_fill_args, launch_fill>,
};

} // namespace tocha
