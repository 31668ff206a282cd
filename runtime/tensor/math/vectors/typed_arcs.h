/* typed_arcs.h: asin, acos, atan and atan2 of VECTOR. Included by functions.h. */

/* arcsin s = s + s^3 P(s^2) for s <= 1/2. Of a larger |x|, s = sqrt((1 - |x|) / 2), and arcsin |x| is
 * pi / 2 - 2 arcsin s (FreeBSD's e_asin.c). */
typedef struct {
  NAME(pair) root; /* s */
  VECTOR rest;     /* arcsin s - s.high */
} NAME(arcsine);

static inline NAME(arcsine) NAME(arcsine_of)(VECTOR size) {
  VECTOR z = NAME(select)(size > (REAL)0.5, (1 - size) * (REAL)0.5, size * size);
  VECTOR s = NAME(select)(size > (REAL)0.5, NAME(root)(z), size);
  NAME(pair) square = NAME(two_product)(s, s);
  VECTOR low = ((z - square.high) - square.low) / (s + s + SMALLEST); /* 0 / 0 is 0 */
  low = NAME(select)(size > (REAL)0.5, low, (VECTOR){0});
  return (NAME(arcsine)){{s, low}, NAME(fma)(s * z, TERMS(asin, z), low)};
}
/* Returns whole (pi / 2) - x - rest for x <= pi / 2. */
static inline VECTOR NAME(less_than_angle)(VECTOR whole, VECTOR x, VECTOR rest) {
  NAME(pair) sum = NAME(fast_two_sum)(whole * CONSTANT(HALF_PI), -x);
  return sum.high + (sum.low + NAME(fma)(whole, NAME(spread)(CONSTANT(HALF_PI_REST)), -rest));
}
static inline VECTOR NAME(asin)(VECTOR x) {
  VECTOR size = NAME(size)(x);
  NAME(arcsine) a = NAME(arcsine_of)(size);
  VECTOR far = NAME(less_than_angle)(NAME(spread)(1), 2 * a.root.high, 2 * a.rest);
  return NAME(copysign)(NAME(select)(size > (REAL)0.5, far, a.root.high + a.rest), x);
}
static inline VECTOR NAME(acos)(VECTOR x) {
  NAME(arcsine) a = NAME(arcsine_of)(NAME(size)(x));
  VECTOR twice = 2 * a.root.high, rest = 2 * a.rest;
  VECTOR near = NAME(less_than_angle)(NAME(spread)(1), NAME(copysign)(a.root.high, x),
                                      NAME(copysign)(a.rest, x));
  VECTOR left = NAME(less_than_angle)(NAME(spread)(2), twice, rest);
  near = NAME(select)(x > (REAL)0.5, twice + rest, near);
  return NAME(select)(x < (REAL)-0.5, left, near);
}

/* Returns the angle of (b, a), where a and b are not negative: arctan t = t + t^3 P(t^2) for
 * t = a / b <= tan(pi / 8); else pi / 4 + arctan((a - b) / (a + b)), or pi / 2 - arctan(b / a) from
 * tan(3 pi / 8) on. */
static inline NAME(pair) NAME(angle)(VECTOR a, VECTOR b) {
  const REAL eighth = (REAL)0.41421356237309504880, three_eighths = (REAL)2.4142135623730950488;
  VECTOR zero = {0}, quarter = NAME(spread)(CONSTANT(HALF_PI) / 2);
  NAME(pair) above = NAME(two_sum)(a, -b), below = NAME(two_sum)(a, b);
  NAME(pair) angle = {quarter, zero + CONSTANT(HALF_PI_REST) / 2};
  above.high = NAME(select)(a < b * eighth, a, NAME(select)(a > b * three_eighths, -b, above.high));
  below.high = NAME(select)(a < b * eighth, b, NAME(select)(a > b * three_eighths, a, below.high));
  VECTOR whole =
      NAME(select)(a < b * eighth, zero, NAME(select)(a > b * three_eighths, zero + 2, zero + 1));
  above.low = NAME(select)(whole == 1, above.low, zero);
  below.low = NAME(select)(whole == 1, below.low, zero);
  NAME(pair) t = NAME(quotient)(above, below), sum = NAME(fast_two_sum)(whole * angle.high, t.high);
  VECTOR z = t.high * t.high, rest = NAME(fma)(t.high * z, TERMS(atan, z), t.low);
  return NAME(fast_two_sum)(sum.high, sum.low + NAME(fma)(whole, angle.low, rest));
}
static inline VECTOR NAME(atan)(VECTOR x) {
  VECTOR most = NAME(spread)((REAL)0x1p60); /* whose arctan is pi / 2, to the last bit */
  NAME(pair) angle = NAME(angle)(NAME(min)(most, NAME(size)(x)), NAME(spread)(1));
  return NAME(copysign)(angle.high + angle.low, x);
}

/* Returns the angle of (x, y). If a number is so large or small that squares or quotients may
 * overflow or lose bits, the C library computes the lane. */
static inline VECTOR NAME(atan2)(VECTOR y, VECTOR x) {
  const REAL most = sizeof(REAL) == 4 ? (REAL)0x1p40 : (REAL)0x1p400, least = 1 / most;
  VECTOR a = NAME(size)(y), b = NAME(size)(x);
  NAME(pair) angle = NAME(angle)(a, b);
  VECTOR left = NAME(less_than_angle)(NAME(spread)(2), angle.high, angle.low);
  VECTOR value = NAME(copysign)(NAME(select)(x < 0, left, angle.high + angle.low), y);
  NAME(mask) done = (b > least) & (b < most) & (((a > least) & (a < most)) | (a == 0));
  return NAME(all)(done) ? value : NAME(atan2_left)(done, value, y, x);
}
