/* float8.h: copies that convert float8 elements (convert_float8.cu). */
#pragma once

#include "device/strided.h"
#include "runtime/state.h"

namespace tocha {

/* Starts a copy between two dtypes, of which at least one is a float8 dtype. */
bool start_float8_conversion(Stream *stream, const tocha_strided_layout &layout);

} // namespace tocha
