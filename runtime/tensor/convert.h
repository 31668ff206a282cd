/* convert.h: strided conversion between element types. */
#ifndef TOCHA_CONVERT_H
#define TOCHA_CONVERT_H

#include "core/internal.h"
#include "tensor/math/half.h"

/* Converts n elements from `source` to `target`; the strides are in bytes. Floating point to
 * integer truncates, and a value out of range becomes the smallest integer. Anything to bool
 * becomes true if it is not zero. */
typedef void (*tocha_converter)(char *target, int64_t target_stride, const char *source,
                                int64_t source_stride, int64_t n);
tocha_converter tocha_conversion(tocha_dtype target, tocha_dtype source);

#endif
