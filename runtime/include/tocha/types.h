/* types.h: the small value types of the runtime: dtypes, devices, scalars, operands. */
#ifndef TOCHA_TYPES_H
#define TOCHA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TOCHA_EXPORT is before what leaves the library that is compiled: a plug-in writes it before
 * luaopen_NAME. TOCHA_API is before what leaves Tocha's own libraries. On Windows these are compiled
 * with TOCHA_BUILDING defined; a program defines TOCHA_STATIC if it is linked to them statically. */
#if defined(_WIN32)
#define TOCHA_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define TOCHA_EXPORT __attribute__((visibility("default")))
#else
#define TOCHA_EXPORT
#endif
#if defined(_WIN32) && defined(TOCHA_STATIC)
#define TOCHA_API
#elif defined(_WIN32) && !defined(TOCHA_BUILDING)
#define TOCHA_API __declspec(dllimport)
#else
#define TOCHA_API TOCHA_EXPORT
#endif

#if defined(__GNUC__)
#define TOCHA_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TOCHA_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_context tocha_context;
typedef struct tocha_tensor tocha_tensor;
typedef struct tocha_generator tocha_generator;
typedef struct tocha_node tocha_node;

/* The element types: the rows of dtypes.def. TOCHA_BOOL to TOCHA_FLOAT64 are in the order of
 * promotion. The float8 types after them hold numbers for a few operators (copies, views, ==, *,
 * matrix products); the others refuse them. */
typedef enum tocha_dtype {
  TOCHA_NO_DTYPE = -1,
#define DTYPE(ID, name, type, category, real, scalar_type, cpp_name, alias, digits, max) TOCHA_##ID,
#include "tocha/dtypes.def"
#undef DTYPE
  TOCHA_DTYPE_COUNT
} tocha_dtype;

/* The kinds of dtypes; the higher one wins in promotion. */
typedef enum tocha_category {
  TOCHA_CATEGORY_BOOL,
  TOCHA_CATEGORY_INTEGER,
  TOCHA_CATEGORY_FLOATING
} tocha_category;

/* The types of devices. `meta` has shapes without data; `mps` is named but never available. */
typedef enum tocha_device_type {
  TOCHA_NO_DEVICE = -1,
  TOCHA_CPU,
  TOCHA_CUDA,
  TOCHA_META,
  TOCHA_MPS,
  TOCHA_DEVICE_TYPE_COUNT
} tocha_device_type;

/* A device: a type and an index; -1 means "the current one" (and is the index of "cpu"). Zeroed, it is the CPU. */
typedef struct tocha_device {
  int16_t type;
  int16_t index;
} tocha_device;

/* A number that keeps its kind: true is bool, 7 is int, 7.0 is float. */
typedef enum tocha_scalar_kind {
  TOCHA_NO_SCALAR = -1,
  TOCHA_SCALAR_BOOL,
  TOCHA_SCALAR_INT,
  TOCHA_SCALAR_FLOAT
} tocha_scalar_kind;

typedef struct tocha_scalar {
  tocha_scalar_kind kind;
  union {
    int64_t integer; /* BOOL and INT */
    double real;     /* FLOAT */
  } value;
} tocha_scalar;

/* A tensor, or a number if `tensor` is NULL, or neither (TOCHA_NO_SCALAR). */
typedef struct tocha_operand {
  tocha_tensor *tensor;
  tocha_scalar scalar;
} tocha_operand;

static inline tocha_scalar tocha_int(int64_t value) {
  tocha_scalar s;
  s.kind = TOCHA_SCALAR_INT;
  s.value.integer = value;
  return s;
}
static inline tocha_scalar tocha_float(double value) {
  tocha_scalar s;
  s.kind = TOCHA_SCALAR_FLOAT;
  s.value.real = value;
  return s;
}
static inline tocha_scalar tocha_boolean(bool value) {
  tocha_scalar s;
  s.kind = TOCHA_SCALAR_BOOL;
  s.value.integer = value;
  return s;
}
static inline double tocha_scalar_real(tocha_scalar s) {
  return s.kind == TOCHA_SCALAR_FLOAT ? s.value.real : (double)s.value.integer;
}
static inline tocha_operand tocha_number(tocha_scalar scalar) {
  tocha_operand o;
  o.tensor = NULL;
  o.scalar = scalar;
  return o;
}
static inline tocha_operand tocha_operand_of(tocha_tensor *tensor) {
  tocha_operand o;
  o.tensor = tensor;
  o.scalar = tocha_int(0);
  if (!tensor) o.scalar.kind = TOCHA_NO_SCALAR; /* the call that returned it failed */
  return o;
}
static inline tocha_device tocha_cpu(void) {
  tocha_device d = {TOCHA_CPU, -1};
  return d;
}
/* Returns "no device", for a device that may be omitted. */
static inline tocha_device tocha_no_device(void) {
  tocha_device d = {TOCHA_NO_DEVICE, -1};
  return d;
}
/* Returns true if both name the same device. Only CUDA's index counts, so a zeroed tocha_device is tocha_cpu(). */
static inline bool tocha_device_equal(tocha_device a, tocha_device b) {
  return a.type == b.type && (a.index == b.index || a.type != TOCHA_CUDA);
}

/* Returns the bytes of one element. */
TOCHA_API size_t tocha_dtype_size(tocha_dtype dtype);
/* Returns "float32", as in torch.float32. */
TOCHA_API const char *tocha_dtype_name(tocha_dtype dtype);
/* Returns "Float", the name in PyTorch's messages. */
TOCHA_API const char *tocha_dtype_scalar_type(tocha_dtype dtype);
/* Returns the C++ name, "c10::Half", or the older name, "half", as in torch.half and x:half(). */
TOCHA_API const char *tocha_dtype_cpp_name(tocha_dtype dtype);
TOCHA_API const char *tocha_dtype_alias(tocha_dtype dtype);
TOCHA_API tocha_category tocha_dtype_category(tocha_dtype dtype);
/* Returns the dtype of the real part: dtype itself unless it is complex. */
TOCHA_API tocha_dtype tocha_dtype_real(tocha_dtype dtype);
/* Returns the bits of precision (all integers up to 2^digits are exact), or the largest finite
 * value. */
TOCHA_API int tocha_dtype_digits(tocha_dtype dtype);
TOCHA_API double tocha_dtype_max(tocha_dtype dtype);
TOCHA_API bool tocha_dtype_is_floating(tocha_dtype dtype);
/* Returns true for integer types, not for bool. */
TOCHA_API bool tocha_dtype_is_integer(tocha_dtype dtype);
/* Returns the type that both convert to without losing their category (torch.promote_types), or
 * TOCHA_NO_DTYPE if one is a float8 type and the other is not the same. */
TOCHA_API tocha_dtype tocha_promote_types(tocha_dtype a, tocha_dtype b);
/* Writes "cuda:0" to `text`, which has room for 24 bytes; returns `text`. */
TOCHA_API const char *tocha_device_text(tocha_device device, char text[24]);

#ifdef __cplusplus
}
#endif
#endif
