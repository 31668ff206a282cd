/* dtype.c: names and sizes of element types, PyTorch's promotion table, names of devices. */
#include <stdio.h>

#include "core/internal.h"

static const struct {
  const char *name, *scalar_type;
  uint8_t size, category; /* category: 0 bool, 1 integer, 2 floating point */
} types[TOCHA_DTYPE_COUNT] = {
    {"bool", "Bool", 1, 0},      {"uint8", "Byte", 1, 1},        {"int8", "Char", 1, 1},
    {"int16", "Short", 2, 1},    {"int32", "Int", 4, 1},         {"int64", "Long", 8, 1},
    {"float16", "Half", 2, 2},   {"bfloat16", "BFloat16", 2, 2}, {"float32", "Float", 4, 2},
    {"float64", "Double", 8, 2},
};

size_t tocha_dtype_size(tocha_dtype dtype) { return types[dtype].size; }
const char *tocha_dtype_name(tocha_dtype dtype) { return types[dtype].name; }
const char *tocha_dtype_scalar_type(tocha_dtype dtype) { return types[dtype].scalar_type; }
bool tocha_dtype_is_floating(tocha_dtype dtype) { return types[dtype].category == 2; }
bool tocha_dtype_is_integer(tocha_dtype dtype) { return types[dtype].category == 1; }

/* The higher category wins; within one, the wider type. Two types of one width that do not hold
 * each other (uint8 and int8, float16 and bfloat16) meet in the next wider one. */
tocha_dtype tocha_promote_types(tocha_dtype a, tocha_dtype b) {
  if (a == b) return a;
  if (a > b) {
    tocha_dtype t = a;
    a = b;
    b = t;
  }
  if (a == TOCHA_UINT8 && b == TOCHA_INT8) return TOCHA_INT16;
  if (a == TOCHA_FLOAT16 && b == TOCHA_BFLOAT16) return TOCHA_FLOAT32;
  return b; /* the order of the enum is the order of promotion */
}

const char *tocha_device_text(tocha_device device, char text[24]) {
  static const char *const names[TOCHA_DEVICE_TYPE_COUNT] = {"cpu", "cuda", "meta", "mps"};
  const char *name =
      device.type >= 0 && device.type < TOCHA_DEVICE_TYPE_COUNT ? names[device.type] : "none";
  if (device.index < 0)
    snprintf(text, 24, "%s", name);
  else
    snprintf(text, 24, "%s:%d", name, device.index);
  return text;
}
