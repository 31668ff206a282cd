/* kernels.cpp: the table of the family scan. */
#include "common/entry.h"
#include "scan/launch.h"

namespace tocha {

extern const tocha_scan_kernels scan_kernels;
const tocha_scan_kernels scan_kernels = {
    scratch_entry<tocha_scan_args, scan_scratch>,
    entry<tocha_scan_args, launch_scan>,
    entry<tocha_exclusive_product_args, launch_exclusive_product>,
};

} // namespace tocha
