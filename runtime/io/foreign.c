/* foreign.c: element types that occur in files and that Tocha lacks, and their conversion to
 * dtypes that Tocha has. */
#include "io/foreign.h"

#include <string.h>

const tocha_foreign tocha_foreign_types[] = {
    {"uint16", NULL, 2, TOCHA_INT32},
    {"uint32", NULL, 4, TOCHA_INT64},
    {"uint64", NULL, 8, TOCHA_INT64},
    {"complex32", "ComplexHalf", 4, TOCHA_NO_DTYPE},
    {"complex64", "ComplexFloat", 8, TOCHA_NO_DTYPE},
    {"complex128", "ComplexDouble", 16, TOCHA_NO_DTYPE},
    {"qint8", "QInt8", 1, TOCHA_NO_DTYPE},
    {"quint8", "QUInt8", 1, TOCHA_NO_DTYPE},
    {"qint32", "QInt32", 4, TOCHA_NO_DTYPE},
    {"quint4x2", "QUInt4x2", 1, TOCHA_NO_DTYPE},
    {"quint2x4", "QUInt2x4", 1, TOCHA_NO_DTYPE},
    {"float4_e2m1fn_x2", NULL, 1, TOCHA_NO_DTYPE},
    {"bits8", NULL, 1, TOCHA_NO_DTYPE},
    {"bits16", NULL, 2, TOCHA_NO_DTYPE},
};
const int tocha_foreign_count = TOCHA_COUNT(tocha_foreign_types);

enum { UINT16, UINT32, UINT64 };

int tocha_find_foreign(const char *name) {
  for (int i = 0; i < tocha_foreign_count; i++)
    if (strcmp(tocha_foreign_types[i].name, name) == 0) return i;
  return TOCHA_FOREIGN_NONE;
}

void *tocha_refuse_foreign(tocha_context *cx, const char *what, const char *type) {
  tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
             "the tensor%s%.200s%s is of type %s, which Tocha lacks", what ? " '" : "",
             what ? what : "", what ? "'" : "", type);
  return tocha_hint(cx, "in Python, convert it before saving: x.to(torch.float32), "
                        "torch.view_as_real(x), x.dequantize(), x.to_dense(), x.resolve_neg()");
}

/* --- many ------------------------------------------------------------------------------------------ */

bool tocha_foreign_fits(int type, const void *elements, int64_t n) {
  const char *from = elements;
  for (int64_t i = 0; type == UINT64 && i < n; i++)
    if (from[8 * i + (tocha_is_little_endian() ? 7 : 0)] & 0x80) return false;
  return tocha_foreign_types[type].as != TOCHA_NO_DTYPE;
}

static void convert_uint16(const char *from, int64_t n, int32_t *to) {
  for (int64_t i = 0; i < n; i++) {
    uint16_t element;
    memcpy(&element, from + 2 * i, sizeof element);
    to[i] = element;
  }
}

static void convert_uint32(const char *from, int64_t n, int64_t *to) {
  for (int64_t i = 0; i < n; i++) {
    uint32_t element;
    memcpy(&element, from + 4 * i, sizeof element);
    to[i] = element;
  }
}

void tocha_convert_foreign(int type, const void *elements, int64_t n, void *to) {
  if (type == UINT16)
    convert_uint16(elements, n, to);
  else if (type == UINT32)
    convert_uint32(elements, n, to);
  else if (type == UINT64 && n)
    memcpy(to, elements, (size_t)n * 8);
}
