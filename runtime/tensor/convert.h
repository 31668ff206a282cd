/* convert.h: strided conversion between element types. */
#ifndef TOCHA_CONVERT_H
#define TOCHA_CONVERT_H

#include "core/internal.h"
#include "tensor/math/half.h"

/* n elements from source to target; strides in bytes. Floating point to integer truncates (out of
 * range gives the smallest integer), anything to bool tests for non-zero. */
typedef void (*tocha_converter)(char *target, int64_t target_stride, const char *source,
                                int64_t source_stride, int64_t n);
tocha_converter tocha_conversion(tocha_dtype target, tocha_dtype source);

#endif
