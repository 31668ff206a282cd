/* convert.c: the loops of convert.h, which convert elements of any type to elements of type T. */
#include "tensor/cpu/convert.h"

#include "tensor/cpu/element.h"

/* Converts n elements; the strides are in bytes. Inlined with a constant `from` and `size`, the
 * bytes of a source element. */
static inline __attribute__((always_inline)) void convert(char *target, int64_t target_stride,
                                                          const char *source, int64_t source_stride,
                                                          int64_t n, tocha_dtype from,
                                                          int64_t size) {
  if (target_stride == sizeof(T) && source_stride == size) {
    T *to = (T *)(void *)target;
    for (int64_t i = 0; i < n; i++) to[i] = element_from(source + i * size, from);
  } else {
    for (int64_t i = 0; i < n; i++)
      *(T *)(void *)(target + i * target_stride) = element_from(source + i * source_stride, from);
  }
}

static void from_bool(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_BOOL, 1);
}
static void from_uint8(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_UINT8, 1);
}
static void from_int8(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_INT8, 1);
}
static void from_int16(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_INT16, 2);
}
static void from_int32(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_INT32, 4);
}
static void from_int64(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_INT64, 8);
}
static void from_bfloat16(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_BFLOAT16, 2);
}
static void from_float64(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_FLOAT64, 8);
}
static void from_float8_e4m3fn(char *t, int64_t t_stride, const char *s, int64_t s_stride,
                               int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_FLOAT8_E4M3FN, 1);
}
static void from_float8_e5m2(char *t, int64_t t_stride, const char *s, int64_t s_stride,
                             int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_FLOAT8_E5M2, 1);
}
static void from_float8_e4m3fnuz(char *t, int64_t t_stride, const char *s, int64_t s_stride,
                                 int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_FLOAT8_E4M3FNUZ, 1);
}
static void from_float8_e5m2fnuz(char *t, int64_t t_stride, const char *s, int64_t s_stride,
                                 int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_FLOAT8_E5M2FNUZ, 1);
}
static void from_float8_e8m0fnu(char *t, int64_t t_stride, const char *s, int64_t s_stride,
                                int64_t n) {
  convert(t, t_stride, s, s_stride, n, TOCHA_FLOAT8_E8M0FNU, 1);
}

/* Converts several at a time between float16 and float32. */
static void from_float16(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
#ifdef TOCHA_LOOPS_float32
  if (t_stride == 4 && s_stride == 2) {
    tocha_halves_to_floats((float *)(void *)t, (const uint16_t *)(const void *)s, n);
    return;
  }
#endif
  convert(t, t_stride, s, s_stride, n, TOCHA_FLOAT16, 2);
}
static void from_float32(char *t, int64_t t_stride, const char *s, int64_t s_stride, int64_t n) {
#ifdef TOCHA_LOOPS_float16
  if (t_stride == 2 && s_stride == 4) {
    tocha_floats_to_halves((uint16_t *)(void *)t, (const float *)(const void *)s, n);
    return;
  }
#endif
  convert(t, t_stride, s, s_stride, n, TOCHA_FLOAT32, 4);
}

const tocha_convert_loops TOCHA_LOOPS(convert) = {{
    [TOCHA_BOOL] = from_bool,
    [TOCHA_UINT8] = from_uint8,
    [TOCHA_INT8] = from_int8,
    [TOCHA_INT16] = from_int16,
    [TOCHA_INT32] = from_int32,
    [TOCHA_INT64] = from_int64,
    [TOCHA_FLOAT16] = from_float16,
    [TOCHA_BFLOAT16] = from_bfloat16,
    [TOCHA_FLOAT32] = from_float32,
    [TOCHA_FLOAT64] = from_float64,
    [TOCHA_FLOAT8_E4M3FN] = from_float8_e4m3fn,
    [TOCHA_FLOAT8_E5M2] = from_float8_e5m2,
    [TOCHA_FLOAT8_E4M3FNUZ] = from_float8_e4m3fnuz,
    [TOCHA_FLOAT8_E5M2FNUZ] = from_float8_e5m2fnuz,
    [TOCHA_FLOAT8_E8M0FNU] = from_float8_e8m0fnu,
}};
