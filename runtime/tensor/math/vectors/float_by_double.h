/* float_by_double.h: functions of vfloat that are evaluated in double and rounded once. Included by
 * functions.h. */

/* Returns sin(x + half_turns pi) for |x| < 2^20, right to 2^-36: x = k pi + r, and the sine of r, a
 * polynomial, has its sign changed if k is odd. `half_turns` is 0, or 1/2 for the cosine. */
static inline vdouble vdouble_near_sin(vdouble x, double half_turns) {
  vdouble shifted =
      vdouble_fma(x, vdouble_spread(0.31830988618379067154), vdouble_spread(half_turns)) +
      vdouble_shift();
  vdouble k = shifted - vdouble_shift() - half_turns;
  vdouble r = vdouble_fma(k, vdouble_spread(-2 * tocha_half_pi[0]), x);
  r = vdouble_fma(k, vdouble_spread(-0x1.0b4611a626331p-33), r);
  vdouble z = r * r, value = vdouble_fma(r * z, TERMS(wide_sin, z), r);
  return (vdouble)((vuint64)value ^ vdouble_odd_sign(shifted));
}
static inline vfloat vfloat_sin(vfloat x) {
  vfloat value = vfloat_of(vdouble_near_sin(vfloat_low(x), 0), vdouble_near_sin(vfloat_high(x), 0));
  value = vfloat_select(x == 0, x, value);
  vfloat_mask done = vfloat_size(x) < TOCHA_SINES_MOST;
  return vfloat_all(done) ? value : vfloat_sin_left(done, value, x);
}
static inline vfloat vfloat_cos(vfloat x) {
  vfloat value =
      vfloat_of(vdouble_near_sin(vfloat_low(x), 0.5), vdouble_near_sin(vfloat_high(x), 0.5));
  vfloat_mask done = vfloat_size(x) < TOCHA_SINES_MOST;
  return vfloat_all(done) ? value : vfloat_cos_left(done, value, x);
}
/* Returns tan x for |x| < 2^20, right to 2^-36: x = k pi / 2 + r, and the quotient of sin r and cos r, or of
 * -cos r and sin r if k is odd. */
static inline vdouble vdouble_near_tan(vdouble x) {
  vdouble shifted = vdouble_fma(x, vdouble_spread(0.63661977236758134308), vdouble_shift());
  vdouble k = shifted - vdouble_shift();
  vdouble r = vdouble_fma(k, vdouble_spread(-tocha_half_pi[0]), x);
  r = vdouble_fma(k, vdouble_spread(-0x1.0b4611a626331p-34), r);
  vdouble z = r * r, sine = vdouble_fma(r * z, TERMS(near_sin, z), r);
  vdouble cosine = vdouble_fma(z * z, TERMS(near_cos, z),
                               vdouble_fma(z, vdouble_spread(-0.5), vdouble_spread(1)));
  vdouble_mask odd = vdouble_is_odd(shifted);
  return vdouble_select(odd, -cosine, sine) / vdouble_select(odd, sine, cosine);
}
static inline vfloat vfloat_tan(vfloat x) {
  vfloat value = vfloat_of(vdouble_near_tan(vfloat_low(x)), vdouble_near_tan(vfloat_high(x)));
  value = vfloat_select(x == 0, x, value);
  vfloat_mask done = vfloat_size(x) < TOCHA_SINES_MOST;
  return vfloat_all(done) ? value : vfloat_tan_left(done, value, x);
}

static inline vdouble vdouble_near_pow(vdouble x, vdouble y) {
  return vdouble_near_exp(y * vdouble_near_log(x, 1, 0.69314718055994530942));
}
/* Returns x^y. If |y| is 2^22 or more, or x is not finite, or x^y is a division by 0 or 0^0, the C
 * library computes the lane. */
static inline vfloat vfloat_pow(vfloat x, vfloat y) {
  vfloat size = vfloat_size(x), shifted = y + vfloat_shift();
  vfloat value = vfloat_of(vdouble_near_pow(vfloat_low(size), vfloat_low(y)),
                           vdouble_near_pow(vfloat_high(size), vfloat_high(y)));
  vfloat_mask done = (size < (float)INFINITY) & ((size > 0) | (y > 0)) & (vfloat_size(y) < 0x1p22f);
  if (vfloat_all(done & (x > 0))) return value;
  vfloat_mask whole = shifted - vfloat_shift() == y;
  value = (vfloat)((vuint32)value ^ (vfloat_odd_sign(shifted) & (vuint32)x & (vuint32)whole));
  value = vfloat_select(whole | (x >= 0), value, vfloat_spread((float)NAN));
  return vfloat_all(done) ? value : vfloat_pow_left(done, value, x, y);
}

static inline vdouble vdouble_near_hypot(vdouble x, vdouble y) {
  return vdouble_root(x * x + y * y);
}
static inline vfloat vfloat_hypot(vfloat x, vfloat y) {
  vfloat infinite = vfloat_spread((float)INFINITY);
  vfloat value = vfloat_of(vdouble_near_hypot(vfloat_low(x), vfloat_low(y)),
                           vdouble_near_hypot(vfloat_high(x), vfloat_high(y)));
  return vfloat_select((vfloat_size(x) == infinite) | (vfloat_size(y) == infinite), infinite,
                       value);
}

/* Returns erfc x for an x that comes from a float, right to 2^-30: the formula of vdouble_erfc. */
static inline vdouble vdouble_near_erfc(vdouble x) {
  vdouble size = vdouble_min(vdouble_spread(10.5), vdouble_size(x));
  vdouble value = TERMS(near_erfc, (size - 4) / (size + 4)) * vdouble_near_exp(-(size * size)) /
                  (1 + (size + size));
  return vdouble_select(x < 0, 2 - value, value);
}
static inline vfloat vfloat_erfc(vfloat x) {
  return vfloat_of(vdouble_near_erfc(vfloat_low(x)), vdouble_near_erfc(vfloat_high(x)));
}
