/* foreign.c: element types that occur in files and that Tocha lacks, and their conversion to
 * dtypes that Tocha has. */
#include "io/foreign.h"

#include <math.h>
#include <string.h>

const tocha_foreign tocha_foreign_types[] = {
    {"uint16", NULL, 2, TOCHA_INT32},
    {"uint32", NULL, 4, TOCHA_INT64},
    {"uint64", NULL, 8, TOCHA_INT64},
    {"float8_e4m3fn", NULL, 1, TOCHA_BFLOAT16},
    {"float8_e5m2", NULL, 1, TOCHA_BFLOAT16},
    {"float8_e4m3fnuz", NULL, 1, TOCHA_BFLOAT16},
    {"float8_e5m2fnuz", NULL, 1, TOCHA_BFLOAT16},
    {"float8_e8m0fnu", NULL, 1, TOCHA_BFLOAT16},
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

enum { UINT16, UINT32, UINT64, FIRST_FLOAT8 };

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

/* --- numbers of 8 bits --------------------------------------------------------------------------- */

/* The bit layout of an 8-bit floating-point type. */
typedef struct float8 {
  int mantissa, bias;
  bool infinities; /* encoded as in IEEE 754 */
  bool one_nan;    /* the pattern of -0 is the only NaN */
} float8;

static const float8 float8_types[] = {
    {3, 7, false, false}, {2, 15, true, false}, {3, 8, false, true}, {2, 16, false, true}};

static float decode(unsigned bits, const float8 *f) {
  int exponent = (int)(bits & 0x7f) >> f->mantissa;
  int mantissa = (int)bits & ((1 << f->mantissa) - 1);
  int highest = 0x7f >> f->mantissa;
  float sign = bits & 0x80 ? -1.0F : 1.0F;
  if (f->one_nan && bits == 0x80) return NAN;
  if (f->infinities && exponent == highest) return mantissa ? NAN : sign * INFINITY;
  if (!f->infinities && !f->one_nan && (bits & 0x7f) == 0x7f) return NAN;
  if (!exponent) return sign * ldexpf((float)mantissa, 1 - f->bias - f->mantissa);
  return sign * ldexpf((float)(mantissa + (1 << f->mantissa)), exponent - f->bias - f->mantissa);
}

/* Returns an element as the bits of a bfloat16, which always represents it exactly. */
static uint16_t as_bfloat16(int type, unsigned bits) {
  enum { EXPONENTS_ONLY = 4, NAN_BITS = 0x7fc0 };
  int kind = type - FIRST_FLOAT8;
  float value = kind == EXPONENTS_ONLY ? ldexpf(bits == 0xff ? NAN : 1.0F, (int)bits - 127)
                                       : decode(bits, &float8_types[kind]);
  uint32_t wide;
  if (isnan(value)) return NAN_BITS;
  memcpy(&wide, &value, sizeof wide);
  return (uint16_t)(wide >> 16);
}

/* --- many ------------------------------------------------------------------------------------------ */

bool tocha_foreign_fits(int type, const void *elements, int64_t n) {
  const char *from = elements;
  for (int64_t i = 0; type == UINT64 && i < n; i++)
    if (from[8 * i + (tocha_is_little_endian() ? 7 : 0)] & 0x80) return false;
  return tocha_foreign_types[type].as != TOCHA_NO_DTYPE;
}

static void convert_float8(int type, const uint8_t *from, int64_t n, uint16_t *to) {
  uint16_t values[256];
  for (unsigned bits = 0; bits < 256; bits++) values[bits] = as_bfloat16(type, bits);
  for (int64_t i = 0; i < n; i++) to[i] = values[from[i]];
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
  else if (type >= FIRST_FLOAT8)
    convert_float8(type, elements, n, to);
}
