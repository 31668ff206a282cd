/* typed_exact.h: bits of numbers, and sums and products with their rounding errors. Included by
 * functions.h for vfloat and for vdouble.
 *
 * A pair stands for high + low, where low is at most about one unit in high's last place. The sums
 * are those of Dekker (1971) and Knuth (The Art of Computer Programming 2, 4.2.2). */
typedef struct {
  VECTOR high, low;
} NAME(pair);

static inline VECTOR NAME(spread)(REAL x) { return (VECTOR){0} + x; }
static inline VECTOR NAME(size)(VECTOR x) { return NAME(copysign)(x, (VECTOR){0}); }

/* Returns a + b and its rounding error: fast_two_sum if |a| >= |b| or a = 0, else two_sum. */
static inline NAME(pair) NAME(fast_two_sum)(VECTOR a, VECTOR b) {
  VECTOR sum = a + b;
  return (NAME(pair)){sum, b - (sum - a)};
}
static inline NAME(pair) NAME(two_sum)(VECTOR a, VECTOR b) {
  VECTOR sum = a + b, of_b = sum - a;
  return (NAME(pair)){sum, (a - (sum - of_b)) + (b - of_b)};
}

/* Returns a b and its rounding error. Without fused multiply-add, the factors are split in halves
 * (Dekker), which must not overflow. */
static inline NAME(pair) NAME(two_product)(VECTOR a, VECTOR b) {
  VECTOR product = a * b;
#ifdef TOCHA_VECTORS_FUSE
  return (NAME(pair)){product, NAME(fma)(a, b, -product)};
#else
  const REAL split = ((uint64_t)1 << (MANTISSA + 2) / 2) + 1;
  VECTOR a_wide = a * split, b_wide = b * split;
  VECTOR a_high = a_wide - (a_wide - a), b_high = b_wide - (b_wide - b);
  VECTOR a_low = a - a_high, b_low = b - b_high;
  VECTOR error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return (NAME(pair)){product, error};
#endif
}

/* Returns a / b. */
static inline NAME(pair) NAME(quotient)(NAME(pair) a, NAME(pair) b) {
  VECTOR inverse = 1 / b.high, value = a.high * inverse;
  NAME(pair) product = NAME(two_product)(value, b.high);
  VECTOR rest = ((a.high - product.high) - product.low) + (a.low - value * b.low);
  return (NAME(pair)){value, rest * inverse};
}

/* In x + NAME(shift) the unit is 1, so the sum is the integer nearest to x plus the shift, and its
 * lowest bits are the integer's. */
static inline VECTOR NAME(shift)(void) {
  return NAME(spread)((REAL)((uint64_t)3 << (MANTISSA - 1)));
}
/* Returns 2^k, given k + shift. */
static inline VECTOR NAME(power_of_2)(VECTOR shifted) {
  return (VECTOR)(((BITS)shifted + BIAS) << MANTISSA);
}
/* Returns the sign of an odd k, given k + shift: a word to flip a sign with. */
static inline BITS NAME(odd_sign)(VECTOR shifted) {
  return (BITS)shifted << (int)(sizeof(REAL) * 8 - 1);
}
