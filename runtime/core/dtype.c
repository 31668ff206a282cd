/* dtype.c: names and sizes of element types, PyTorch's promotion table, names of devices. */
#include <stdio.h>

#include "core/dtype.h"
#include "core/internal.h"

static const struct row {
  const char *name, *scalar_type, *cpp_name, *alias;
  uint8_t size, category, real, digits;
  double max;
} types[TOCHA_DTYPE_COUNT] = {
#define DTYPE(ID, name, type, category, real, scalar_type, cpp_name, alias, digits, max)           \
  {#name,        scalar_type, cpp_name, alias, sizeof(type), TOCHA_CATEGORY_##category,            \
   TOCHA_##real, digits,      max},
#include "tocha/dtypes.def"
#undef DTYPE
};

/* Returns the row of a dtype, or a row of size 0 if there is no such dtype. */
static const struct row *row_of(tocha_dtype dtype) {
  static const struct row none = {.name = "none", .scalar_type = "None", .cpp_name = "none"};
  return dtype >= 0 && dtype < TOCHA_DTYPE_COUNT ? &types[dtype] : &none;
}

size_t tocha_dtype_size(tocha_dtype dtype) { return row_of(dtype)->size; }
const char *tocha_dtype_name(tocha_dtype dtype) { return row_of(dtype)->name; }
const char *tocha_dtype_scalar_type(tocha_dtype dtype) { return row_of(dtype)->scalar_type; }
const char *tocha_dtype_cpp_name(tocha_dtype dtype) { return row_of(dtype)->cpp_name; }
const char *tocha_dtype_alias(tocha_dtype dtype) { return row_of(dtype)->alias; }
tocha_category tocha_dtype_category(tocha_dtype dtype) { return row_of(dtype)->category; }
tocha_dtype tocha_dtype_real(tocha_dtype dtype) { return row_of(dtype)->real; }
int tocha_dtype_digits(tocha_dtype dtype) { return row_of(dtype)->digits; }
double tocha_dtype_max(tocha_dtype dtype) { return row_of(dtype)->max; }
bool tocha_dtype_is_floating(tocha_dtype dtype) {
  return row_of(dtype)->category == TOCHA_CATEGORY_FLOATING;
}
bool tocha_dtype_is_integer(tocha_dtype dtype) {
  return row_of(dtype)->category == TOCHA_CATEGORY_INTEGER;
}

/* Returns the type of the higher category or, within one category, the wider type. Two types of
 * one width that do not contain each other (uint8 and int8, float16 and bfloat16) become the
 * next wider one. A float8 type is promoted to nothing. */
tocha_dtype tocha_promote_types(tocha_dtype a, tocha_dtype b) {
  if (a == b) return a;
  if (a > b) {
    tocha_dtype t = a;
    a = b;
    b = t;
  }
  if (tocha_is_float8(b)) return TOCHA_NO_DTYPE;
  if (a == TOCHA_UINT8 && b == TOCHA_INT8) return TOCHA_INT16;
  if (a == TOCHA_FLOAT16 && b == TOCHA_BFLOAT16) return TOCHA_FLOAT32;
  return b; /* the order of the enum is the order of promotion */
}

const char *tocha_device_text(tocha_device device, char text[24]) {
  if (!text) return NULL;
  static const char *const names[TOCHA_DEVICE_TYPE_COUNT] = {"cpu", "cuda", "meta", "mps"};
  const char *name =
      device.type >= 0 && device.type < TOCHA_DEVICE_TYPE_COUNT ? names[device.type] : "none";
  if (device.index < 0)
    snprintf(text, 24, "%s", name);
  else
    snprintf(text, 24, "%s:%d", name, device.index);
  return text;
}
