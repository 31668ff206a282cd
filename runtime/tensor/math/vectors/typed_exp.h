/* typed_exp.h: exponential functions and tanh of VECTOR. Included by functions.h.
 *
 * x = k log 2 + r with an integer k and |r| <= log(2) / 2 (Cody and Waite, Software Manual for the
 * Elementary Functions, 1980), and e^r = 1 + r + r^2 P(r). */
typedef struct {
  VECTOR shifted; /* k + shift */
  NAME(pair) rest;
} NAME(reduced);

static inline NAME(reduced) NAME(reduce_exp)(NAME(pair) x) {
  VECTOR shifted = NAME(fma)(x.high, NAME(spread)(CONSTANT(LOG2_E)), NAME(shift)());
  VECTOR k = shifted - NAME(shift)();
  VECTOR rest = NAME(fma)(k, NAME(spread)(-CONSTANT(LOG2_HIGH)), x.high);
  return (NAME(reduced)){
      shifted, NAME(fast_two_sum)(rest, NAME(fma)(k, NAME(spread)(-CONSTANT(LOG2_LOW)), x.low))};
}

/* Returns e^r - 1 - r.high for a rest r. */
static inline VECTOR NAME(exp_tail)(NAME(pair) r) {
  return NAME(fma)(r.high * r.high, TERMS(exp, r.high), r.low);
}
static inline VECTOR NAME(exp_of_rest)(NAME(pair) r) {
  NAME(pair) sum = NAME(fast_two_sum)(NAME(spread)(1), r.high);
  return sum.high + (sum.low + NAME(exp_tail)(r));
}

/* Returns value 2^k in two steps, for a k of which 2^k is no normal number. */
static inline VECTOR NAME(scale_far)(VECTOR value, VECTOR shifted) {
  VECTOR k = shifted - NAME(shift)(), half = NAME(fma)(k, NAME(spread)(0.5f), NAME(shift)());
  VECTOR other = (k - (half - NAME(shift)())) + NAME(shift)();
  return value * NAME(power_of_2)(half) * NAME(power_of_2)(other);
}
static inline VECTOR NAME(within)(VECTOR x, REAL least, REAL most) {
  return NAME(max)(NAME(spread)(least), NAME(min)(NAME(spread)(most), x));
}

/* Returns e^r for the rest r of x. Here r is one number, which is right to 0.8 ULP of the result; so is
 * its sum with 1, if the processor lacks the fused multiply-add that would make the difference cheap. */
static inline VECTOR NAME(near_exp_of_rest)(VECTOR x, VECTOR shifted) {
  VECTOR k = shifted - NAME(shift)();
  VECTOR r = NAME(fma)(k, NAME(spread)(-CONSTANT(LOG2_HIGH)), x);
  r = NAME(fma)(k, NAME(spread)(-CONSTANT(LOG2_LOW)), r);
#ifdef TOCHA_VECTORS_FUSE
  NAME(pair) sum = NAME(fast_two_sum)(NAME(spread)(1), r);
  return sum.high + NAME(fma)(r * r, TERMS(exp, r), sum.low);
#else
  return 1 + (r + r * r * TERMS(exp, r));
#endif
}

static inline VECTOR NAME(exp)(VECTOR x) {
  bool ordinary = NAME(all)(NAME(size)(x) < CONSTANT(EXP_ORDINARY));
  if (!ordinary) x = NAME(within)(x, CONSTANT(EXP_LEAST), CONSTANT(EXP_MOST));
  VECTOR shifted = NAME(fma)(x, NAME(spread)(CONSTANT(LOG2_E)), NAME(shift)());
  VECTOR value = NAME(near_exp_of_rest)(x, shifted);
  if (!ordinary) return NAME(scale_far)(value, shifted);
  return (VECTOR)((BITS)value + ((BITS)shifted << MANTISSA));
}

static inline VECTOR NAME(exp2)(VECTOR x) {
  x = NAME(within)(x, CONSTANT(EXP2_LEAST), CONSTANT(EXP2_MOST));
  VECTOR shifted = x + NAME(shift)(), r = x - (shifted - NAME(shift)());
  NAME(pair) rest = NAME(two_product)(r, NAME(spread)(CONSTANT(LOG2)));
  rest.low = NAME(fma)(r, NAME(spread)(CONSTANT(LOG2_REST)), rest.low);
  VECTOR value = NAME(exp_of_rest)(rest);
  if (NAME(all)(NAME(size)(x) < CONSTANT(EXP2_ORDINARY))) return value * NAME(power_of_2)(shifted);
  return NAME(scale_far)(value, shifted);
}

/* Returns e^x - 1 as a pair, for an x of which 2^k is a normal number: 2^k - 1 + 2^k (r + r^2 P), of
 * which all terms that are not small are summed without loss. */
static inline NAME(pair) NAME(expm1_pair)(VECTOR x) {
  NAME(reduced) reduced = NAME(reduce_exp)((NAME(pair)){x, (VECTOR){0}});
  NAME(pair) r = reduced.rest;
  VECTOR power = NAME(power_of_2)(reduced.shifted), square = r.high * r.high,
         p = TERMS(exp, r.high);
  NAME(pair) tail = NAME(two_product)(square, p);
  tail.low = NAME(fma)(NAME(fma)(r.high, r.high, -square), p, tail.low) + r.low;
  NAME(pair) first = NAME(fast_two_sum)(power, power * r.high);
  NAME(pair) less = NAME(two_sum)(first.high, NAME(spread)(-1));
  NAME(pair) sum = NAME(two_sum)(less.high, power * tail.high);
  return NAME(two_sum)(sum.high, sum.low + NAME(fma)(power, tail.low, less.low + first.low));
}

static inline VECTOR NAME(expm1)(VECTOR x) {
  VECTOR most = NAME(spread)(CONSTANT(EXP_ORDINARY));
  NAME(pair)
  value = NAME(expm1_pair)(NAME(within)(x, CONSTANT(EXPM1_LEAST), CONSTANT(EXP_ORDINARY)));
  VECTOR result = NAME(copysign)(value.high + value.low, x); /* of -0 */
  return NAME(all)(x < most) ? result : NAME(select)(x < most, result, NAME(exp)(x));
}

/* Returns tanh x = (e^2x - 1) / (e^2x - 1 + 2), computed for |x|. */
static inline VECTOR NAME(tanh)(VECTOR x) {
  VECTOR size = NAME(min)(NAME(spread)(CONSTANT(TANH_ONE)), NAME(size)(x));
  NAME(pair) value = NAME(expm1_pair)(size + size);
  NAME(pair) below = NAME(two_sum)(value.high, NAME(spread)(2));
  below.low += value.low;
  value = NAME(quotient)(value, below);
  return NAME(copysign)(value.high + value.low, x);
}
