/* fill.c: writes one value to every element of a tensor, and checks that the value fits its
 * dtype. */
#include <math.h>
#include <string.h>

#include "tensor/copy.h"
#include "tensor/kernels.h"
#include "tensor/strided.h"

static bool in_range(tocha_scalar s, double low, double high, int64_t low_int, int64_t high_int) {
  if (s.kind == TOCHA_SCALAR_FLOAT) return s.value.real >= low && s.value.real <= high;
  return s.value.integer >= low_int && s.value.integer <= high_int;
}

/* Returns true if a float8 dtype can hold the value. A double may be no smaller than e8m0fnu's
 * smallest number, and an integer may. */
static bool fits_float8(tocha_scalar value, tocha_dtype dtype) {
  const double real = tocha_scalar_real(value), max = tocha_dtype_max(dtype);
  const bool unsigned_real = dtype == TOCHA_FLOAT8_E8M0FNU && value.kind == TOCHA_SCALAR_FLOAT;
  if (isinf(real)) return dtype == TOCHA_FLOAT8_E5M2;
  return !(real > max) && !(real < (unsigned_real ? 0x1p-127 : -max));
}

bool tocha_check_fits(tocha_context *cx, tocha_scalar value, tocha_dtype dtype) {
  double real = tocha_scalar_real(value), size = fabs(real);
  const char *name;
  bool fits;
  switch (dtype) {
  case TOCHA_UINT8: /* negative integers wrap */
    name = "uint8_t", fits = in_range(value, 0, 255, -255, 255);
    break;
  case TOCHA_INT8:
    name = "int8_t", fits = in_range(value, -128, 127, -128, 127);
    break;
  case TOCHA_INT16:
    name = "int16_t", fits = in_range(value, -32768, 32767, -32768, 32767);
    break;
  case TOCHA_INT32:
    name = "int", fits = in_range(value, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX);
    break;
  case TOCHA_INT64:
    name = "int64_t", fits = in_range(value, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX);
    break;
  case TOCHA_FLOAT16:
    name = "c10::Half", fits = !(size > 65504) || isinf(real);
    break;
  case TOCHA_BFLOAT16:
    name = "c10::BFloat16", fits = !(size > 0x1.fep127) || isinf(real);
    break;
  case TOCHA_FLOAT32:
    name = "float", fits = !(size > 0x1.fffffep127) || isinf(real);
    break;
  case TOCHA_BOOL:
  case TOCHA_FLOAT64:
    return true;
  default:
    name = tocha_dtype_cpp_name(dtype), fits = fits_float8(value, dtype);
  }
  if (!fits)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "value cannot be converted to type %s without overflow",
               name);
  return fits;
}

bool tocha_check_fill(tocha_context *cx, const tocha_tensor *t, tocha_scalar value) {
  bool narrow = tocha_dtype_is_floating(t->dtype) && tocha_item_size(t->dtype) <= 2;
  return (narrow && t->numel == 1 && t->device.type == TOCHA_CPU) ||
         tocha_check_fits(cx, value, t->dtype);
}

static bool launch_fill(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_fill_args *args = user;
  args->layout = layout;
  return stream->kernels->tensor->fill(stream, args);
}

bool tocha_fill_data(tocha_context *cx, tocha_tensor *t, tocha_scalar value) {
  if (!tocha_has_elements(t)) return true;
  tocha_fill_args args = {0};
  tocha_store_scalar(&args.element, t->dtype, value);
  return tocha_launch_strided(cx, t->ndim, t->sizes, 1, &t, launch_fill, &args);
}
