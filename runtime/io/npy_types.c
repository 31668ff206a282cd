/* npy_types.c: NumPy's names of element types: "<f8", "|b1", "U5". */
#include <string.h>

#include "io/npy.h"

static const struct {
  char kind;
  int size; /* 0: any */
  tocha_dtype dtype;
  const char *name;
} types[] = {
    {'b', 1, TOCHA_BOOL, "bool"},
    {'i', 1, TOCHA_INT8, "int8"},
    {'i', 2, TOCHA_INT16, "int16"},
    {'i', 4, TOCHA_INT32, "int32"},
    {'i', 8, TOCHA_INT64, "int64"},
    {'u', 1, TOCHA_UINT8, "uint8"},
    {'f', 2, TOCHA_FLOAT16, "float16"},
    {'f', 4, TOCHA_FLOAT32, "float32"},
    {'f', 8, TOCHA_FLOAT64, "float64"},
    {'u', 2, TOCHA_NO_DTYPE, "uint16"},
    {'u', 4, TOCHA_NO_DTYPE, "uint32"},
    {'u', 8, TOCHA_NO_DTYPE, "uint64"},
    {'f', 16, TOCHA_NO_DTYPE, "longdouble"},
    {'c', 8, TOCHA_NO_DTYPE, "complex64"},
    {'c', 16, TOCHA_NO_DTYPE, "complex128"},
    {'c', 32, TOCHA_NO_DTYPE, "clongdouble"},
    {'S', 0, TOCHA_NO_DTYPE, "bytes_"},
    {'U', 0, TOCHA_NO_DTYPE, "str_"},
    {'V', 0, TOCHA_NO_DTYPE, "void"},
    {'M', 0, TOCHA_NO_DTYPE, "datetime64"},
    {'m', 0, TOCHA_NO_DTYPE, "timedelta64"},
    {'O', 0, TOCHA_NO_DTYPE, "object_"},
};

bool tocha_npy_read_type(const char *text, size_t length, tocha_npy_type *type) {
  const char *end = text + length;
  bool ordered = length && strchr("<>|=", *text) != NULL;
  *type = (tocha_npy_type){.dtype = TOCHA_NO_DTYPE, .foreign = TOCHA_FOREIGN_NONE};
  if (ordered) type->swapped = *text++ == (tocha_is_little_endian() ? '>' : '<');
  if (text == end) return false;
  type->kind = *text++;
  for (; text < end && *text >= '0' && *text <= '9' && type->size < 1 << 20; text++)
    type->size = type->size * 10 + *text - '0';
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].kind != type->kind ||
        (types[i].size && (types[i].size != type->size || text != end)))
      continue;
    type->name = types[i].name;
    type->dtype = types[i].dtype;
    if (type->dtype == TOCHA_NO_DTYPE) type->foreign = tocha_find_foreign(type->name);
    if (type->foreign != TOCHA_FOREIGN_NONE) type->dtype = tocha_foreign_types[type->foreign].as;
    return true;
  }
  return false;
}

void *tocha_npy_refuse(tocha_context *cx, const char *type) {
  tocha_fail(cx, TOCHA_TYPE_ERROR,
             "can't convert np.ndarray of type numpy.%s. The only supported types are: float64, "
             "float32, float16, int64, int32, int16, int8, uint8, and bool.",
             type);
  return tocha_hint(cx, "in Python: numpy.save(file, array.astype(...))");
}
