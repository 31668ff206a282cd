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

/* One element as a scalar of its own kind, and a scalar as an element of a type (wrapping). */
tocha_scalar tocha_load_scalar(const void *element, tocha_dtype dtype);
void tocha_store_scalar(void *element, tocha_dtype dtype, tocha_scalar value);

#endif
