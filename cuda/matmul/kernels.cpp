/* kernels.cpp: the table of the family matmul. */
#include "common/entry.h"
#include "matmul/launch.h"

namespace tocha {

extern const tocha_matmul_kernels matmul_kernels;
const tocha_matmul_kernels matmul_kernels = {
    entry<tocha_gemm_args, launch_gemm>,
    nullptr,
    entry<tocha_dot_args, launch_dot>,
    DOT_PARTS,
    true,
    entry<tocha_scaled_gemm_args, launch_scaled_gemm>,
    entry<tocha_int_gemm_args, launch_int_gemm>,
};

} // namespace tocha
