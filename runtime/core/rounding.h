/* rounding.h: conversions that must round. */
#ifndef TOCHA_ROUNDING_H
#define TOCHA_ROUNDING_H

/* x as a float32 holds it, where its digits count. Two such pairs of conversions side by side gcc 12 makes vectors of, and
 * then drops; this one it has to keep. */
static inline double tocha_as_float32(double x) {
  volatile float narrow = (float)x;
  return (double)narrow;
}

#endif
