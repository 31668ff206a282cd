/* typed_log.h: logarithms and atanh of VECTOR. Included by functions.h.
 *
 * x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2). With s = f / (2 + f) and artanh s = s + s^3 L(s^2),
 * log(1 + f) = 2 artanh s = f - (f^2 / 2 - s (f^2 / 2 + 2 s^2 L)): the form of FreeBSD's e_log.c, whose
 * leading terms are exact. */
typedef struct {
  VECTOR exponent; /* k */
  VECTOR f;
  VECTOR inverse; /* 2^-k */
} NAME(parts);

static inline NAME(parts) NAME(log_parts)(VECTOR x) {
  const REAL root = (REAL)0.70710678118654752440, whole = (REAL)((uint64_t)1 << MANTISSA);
  const BITS least = (BITS)NAME(spread)(root), one = (BITS)NAME(spread)(1);
  const BITS above = (BITS){0} + (BIAS + 1); /* so that the shifted number is positive */
  BITS bits = (BITS)x, shifted = (bits - least + (above << MANTISSA)) >> MANTISSA;
  VECTOR k = (VECTOR)(shifted | (BITS)NAME(spread)(whole)) - (whole + (BIAS + 1));
  BITS exponent = (shifted - above) << MANTISSA;
  return (NAME(parts)){k, (VECTOR)(bits - exponent) - 1, (VECTOR)(one - exponent)};
}

/* Returns k unit + log(1 + f + rest), given the parts of a number; unit is log 2. */
static inline VECTOR NAME(log_of_parts)(NAME(parts) p, VECTOR rest) {
  VECTOR f = p.f, s = f / (2 + f), z = s * s, half = f * f * (REAL)0.5;
  VECTOR low = NAME(fma)(p.exponent, NAME(spread)(CONSTANT(LOG2_LOW)), rest);
  low = NAME(fma)(s, NAME(fma)(z + z, TERMS(log, z), half), low);
  return NAME(fma)(p.exponent, NAME(spread)(CONSTANT(LOG2_HIGH)), f - (half - low));
}

/* Returns log(1 + f) as a pair. */
static inline NAME(pair) NAME(log_pair)(VECTOR f) {
  VECTOR s = f / (2 + f), z = s * s;
  NAME(pair) half = NAME(two_product)(f * (REAL)0.5, f), sum = NAME(fast_two_sum)(f, -half.high);
  VECTOR rest = s * NAME(fma)(z + z, TERMS(log, z), half.high);
  sum.low = (sum.low - half.low) + rest;
  return sum;
}

/* Returns true in lanes whose x is a positive normal number. */
static inline bool NAME(all_normal)(VECTOR x) {
  return NAME(all)((x >= SMALLEST) & (x < (REAL)INFINITY));
}
/* Multiplies a subnormal x by 2^MANTISSA. Its logarithm must become smaller by *less units. */
static inline VECTOR NAME(normalized)(VECTOR x, VECTOR *less) {
  VECTOR zero = {0};
  *less = NAME(select)(x < SMALLEST, zero + MANTISSA, zero);
  return NAME(select)(x < SMALLEST, x * (REAL)((uint64_t)1 << MANTISSA), x);
}
/* Returns the logarithm: `value`, or what it is of a number that is not positive and finite. */
static inline VECTOR NAME(log_edges)(VECTOR x, VECTOR value) {
  VECTOR zero = {0}, infinite = zero + (REAL)INFINITY;
  VECTOR edge = NAME(select)(x == 0, -infinite, NAME(select)(x < 0, zero + (REAL)NAN, x));
  return NAME(select)((x > 0) & (x < infinite), value, edge);
}

static inline VECTOR NAME(log)(VECTOR x) {
  if (NAME(all_normal)(x)) return NAME(log_of_parts)(NAME(log_parts)(x), (VECTOR){0});
  VECTOR less;
  NAME(parts) p = NAME(log_parts)(NAME(normalized)(x, &less));
  p.exponent -= less;
  return NAME(log_edges)(x, NAME(log_of_parts)(p, (VECTOR){0}));
}

/* Returns k (unit.high + unit.low) + log(1 + f) (scale.high + scale.low). */
static inline VECTOR NAME(scaled_log)(VECTOR x, NAME(pair) unit, NAME(pair) scale) {
  VECTOR less = {0};
  bool normal = NAME(all_normal)(x);
  NAME(parts) p = NAME(log_parts)(normal ? x : NAME(normalized)(x, &less));
  VECTOR k = p.exponent - less;
  NAME(pair) log = NAME(log_pair)(p.f), value = NAME(two_product)(log.high, scale.high);
  VECTOR low = NAME(fma)(log.low, scale.high, NAME(fma)(log.high, scale.low, value.low));
  NAME(pair) sum = NAME(two_sum)(k * unit.high, value.high);
  VECTOR result = sum.high + (sum.low + NAME(fma)(k, unit.low, low));
  return normal ? result : NAME(log_edges)(x, result);
}
static inline VECTOR NAME(log2)(VECTOR x) {
  NAME(pair) unit = {NAME(spread)(1), NAME(spread)(0)};
  NAME(pair) scale = {NAME(spread)(CONSTANT(LOG2_E)), NAME(spread)(CONSTANT(LOG2_E_REST))};
  return NAME(scaled_log)(x, unit, scale);
}
static inline VECTOR NAME(log10)(VECTOR x) {
  NAME(pair) unit = {NAME(spread)(CONSTANT(LOG10_2_HIGH)), NAME(spread)(CONSTANT(LOG10_2_LOW))};
  NAME(pair) scale = {NAME(spread)(CONSTANT(LOG10_E)), NAME(spread)(CONSTANT(LOG10_E_REST))};
  return NAME(scaled_log)(x, unit, scale);
}

/* Returns log(x.high + x.low) for a positive normal x.high far from the largest number. */
static inline VECTOR NAME(log_of_pair)(NAME(pair) x) {
  NAME(parts) p = NAME(log_parts)(x.high);
  NAME(pair) f = NAME(two_sum)(p.f, x.low * p.inverse);
  p.f = f.high;
  return NAME(log_of_parts)(p, f.low);
}

static inline VECTOR NAME(log1p)(VECTOR x) {
  const REAL much = (REAL)((uint64_t)1 << (MANTISSA + 4)); /* log1p x is log x */
  NAME(pair) sum = NAME(two_sum)(NAME(spread)(1), x);
  VECTOR value = NAME(copysign)(NAME(log_of_pair)(sum), x); /* of -0 */
  if (NAME(all)((sum.high >= SMALLEST) & (x < much))) return value;
  return NAME(select)((sum.high >= SMALLEST) & (x < much), value, NAME(log)(sum.high));
}

/* Returns artanh x: s + s^3 L(s^2) up to 0.17, further out log((1 + x) / (1 - x)) / 2. */
static inline VECTOR NAME(atanh)(VECTOR x) {
  VECTOR z = x * x, size = NAME(size)(x), one = NAME(spread)(1);
  VECTOR near = NAME(fma)(x * z, TERMS(log, z), x);
  NAME(pair) ratio = NAME(quotient)(NAME(two_sum)(one, size), NAME(two_sum)(one, -size));
  VECTOR far = NAME(log_of_pair)(ratio) * (REAL)0.5;
  if (!NAME(all)(size < 1)) far = NAME(select)(size < 1, far, -NAME(log)(1 - size));
  return NAME(select)(size < (REAL)0.17, near, NAME(copysign)(far, x));
}
