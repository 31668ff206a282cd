/* rounding.h: conversions that the compiler must not optimize away. */
#ifndef TOCHA_ROUNDING_H
#define TOCHA_ROUNDING_H

/* Returns x rounded to float32, for code whose digits matter. gcc 12 turns two adjacent
 * conversions to float and back into vectors and then removes them; it has to keep this one. */
static inline double tocha_as_float32(double x) {
  volatile float narrow = (float)x;
  return (double)narrow;
}

#endif
