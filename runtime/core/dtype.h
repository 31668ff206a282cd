/* dtype.h: properties of element types that are read too often for a call (the others:
 * tocha/types.h). */
#ifndef TOCHA_CORE_DTYPE_H
#define TOCHA_CORE_DTYPE_H

#include "tocha/types.h"

/* Returns the bytes of one element: an inlined tocha_dtype_size. */
static inline int64_t tocha_item_size(tocha_dtype dtype) {
  static const uint8_t sizes[TOCHA_DTYPE_COUNT] = {
#define DTYPE(ID, name, type, ...) sizeof(type),
#include "tocha/dtypes.def"
#undef DTYPE
  };
  return sizes[dtype];
}

/* Returns true for the floating-point dtypes, which come last: an inlined tocha_dtype_is_floating. */
static inline bool tocha_is_floating(int dtype) { return dtype >= TOCHA_FLOAT16; }

/* Returns true for the float8 dtypes, which most operators refuse. */
static inline bool tocha_is_float8(tocha_dtype dtype) { return dtype > TOCHA_FLOAT64; }

#endif
