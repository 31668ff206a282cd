/* launch.h: starts the kernels of the family scan: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/scan/kernels.h"
#include "runtime/state.h"

namespace tocha {

size_t scan_scratch(Stream *stream, const tocha_scan_args &args);
bool launch_scan(Stream *stream, const tocha_scan_args &args);
bool launch_exclusive_product(Stream *stream, const tocha_exclusive_product_args &args);

} // namespace tocha
