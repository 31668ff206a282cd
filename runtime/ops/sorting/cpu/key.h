/* key.h: the key of an element: an unsigned number with the same order as the elements. NaN is the
 * maximum, and minus zero equals zero. */
#ifndef TOCHA_KEY_H
#define TOCHA_KEY_H

#include <string.h>

#include "tensor/cpu/element.h"

#if defined(TOCHA_LOOPS_float64) || defined(TOCHA_LOOPS_int64)
typedef uint64_t key;
#else
typedef uint32_t key;
#endif

#if defined(TOCHA_LOOPS_INTEGER)
static inline bool is_number(T x) { return (void)x, true; }
static inline key key_of(T x) { return (key)x ^ (key)1 << (8 * sizeof(key) - 1); }
#elif defined(TOCHA_LOOPS_bool)
static inline bool is_number(T x) { return (void)x, true; }
static inline key key_of(T x) { return x != 0; }
#else
static inline bool is_number(T x) { return value_of(x) == value_of(x); }

/* Returns the bits of a floating-point number, with the sign bit flipped or, for negative numbers,
 * all bits. */
static inline key key_of(T x) {
  value number = value_of(x) + 0; /* minus zero is zero */
  key bits, sign = (key)1 << (8 * sizeof(key) - 1);
  memcpy(&bits, &number, sizeof bits);
  bits = bits & sign ? ~bits : bits | sign;
  return number == number ? bits : (key) ~(key)0;
}
#endif

#endif
