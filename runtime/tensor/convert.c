/* convert.c: reads and writes single elements as scalars, and picks the loop that converts many
 * (cpu/convert.c). */
#include "tensor/convert.h"

#include "tensor/cpu/convert.h"

tocha_converter tocha_conversion(tocha_dtype target, tocha_dtype source) {
  return tocha_convert_loops_table[tocha_this_isa()][target]->from[source];
}

tocha_scalar tocha_load_scalar(const void *element, tocha_dtype dtype) {
  double real;
  int64_t integer;
  if (!element || !tocha_dtype_size(dtype)) return tocha_int(0);
  if (tocha_dtype_is_floating(dtype)) {
    tocha_conversion(TOCHA_FLOAT64, dtype)((char *)&real, 8, element, 0, 1);
    return tocha_float(real);
  }
  tocha_conversion(TOCHA_INT64, dtype)((char *)&integer, 8, element, 0, 1);
  return dtype == TOCHA_BOOL ? tocha_boolean(integer != 0) : tocha_int(integer);
}

void tocha_store_scalar(void *element, tocha_dtype dtype, tocha_scalar value) {
  if (!element || !tocha_dtype_size(dtype)) return;
  tocha_dtype source = value.kind == TOCHA_SCALAR_FLOAT ? TOCHA_FLOAT64 : TOCHA_INT64;
  tocha_conversion(dtype, source)(element, 0, (const char *)&value.value, 0, 1);
}
