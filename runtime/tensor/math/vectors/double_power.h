/* double_power.h: pow and hypot of vdouble. Included by functions.h.
 *
 * |x|^y = e^(y log |x|), with the logarithm as a pair right to 2^-66: artanh s = s + s^3 (1/3 + s^2 H(s^2)),
 * where s, its cube and the sum in brackets are pairs (Dekker 1971). */

/* Returns log x for a positive normal x. */
static inline vdouble_pair vdouble_long_log(vdouble x) {
  const vdouble third = vdouble_spread(0x1.5555555555555p-2);
  vdouble_parts p = vdouble_log_parts(x);
  vdouble_pair f = {p.f, {0}}, s = vdouble_quotient(f, vdouble_two_sum(vdouble_spread(2), p.f));
  vdouble_pair z = vdouble_two_product(s.high, s.high);
  z.low = vdouble_fma(s.high + s.high, s.low, z.low);
  vdouble_pair cube = vdouble_two_product(s.high, z.high);
  cube.low += vdouble_fma(s.high, z.low, s.low * z.high);
  vdouble_pair sum = vdouble_fast_two_sum(
      third, vdouble_fma(z.high, TERMS(log_high, z.high), vdouble_spread(0x1.5555555555555p-56)));
  vdouble_pair term = vdouble_two_product(cube.high, sum.high);
  term.low += vdouble_fma(cube.high, sum.low, cube.low * sum.high);
  vdouble_pair log = vdouble_fast_two_sum(s.high, term.high);
  log.low += s.low + term.low;
  vdouble_pair value = vdouble_two_sum(p.exponent * DOUBLE_LOG2_HIGH, 2 * log.high);
  value.low += vdouble_fma(p.exponent, vdouble_spread(DOUBLE_LOG2_LOW), 2 * log.low);
  return vdouble_fast_two_sum(value.high, value.low);
}

/* Returns x^y. If |y| is 2^51 or more, or x is subnormal or not finite, or the result is nearly so, the
 * C library computes the lane. 0 is common among the results of ReLU, so 0^y is not left to it. */
static inline vdouble vdouble_pow(vdouble x, vdouble y) {
  vdouble size = vdouble_size(x), shifted = y + vdouble_shift();
  vdouble_pair log = vdouble_long_log(size), power = vdouble_two_product(log.high, y);
  power.low = vdouble_fma(log.low, y, power.low);
  vdouble_reduced r = vdouble_reduce_exp(power);
  vdouble value = vdouble_exp_of_rest(r.rest) * vdouble_power_of_2(r.shifted);
  vdouble_mask done = (size >= DBL_MIN) & (size < (double)INFINITY) &
                      (vdouble_size(power.high) < 708) & (vdouble_size(y) < 0x1p51);
  if (vdouble_all(done & (x > 0))) return value;
  vdouble_mask vanishes = (size == 0) & (y > 0) & (y < 0x1p51);
  value = vdouble_select(vanishes, (vdouble){0}, value);
  vdouble_mask whole = shifted - vdouble_shift() == y;
  value = (vdouble)((vuint64)value ^ (vdouble_odd_sign(shifted) & (vuint64)x & (vuint64)whole));
  value = vdouble_select(whole | (x >= 0), value, vdouble_spread((double)NAN));
  done |= vanishes;
  return vdouble_all(done) ? value : vdouble_pow_left(done, value, x, y);
}

/* Returns sqrt(x^2 + y^2), of which the squares and the sum are pairs; the root is corrected by one
 * step of Newton's. */
static inline vdouble vdouble_hypot(vdouble x, vdouble y) {
  const double most = 0x1p500, least = 0x1p-400;
  vdouble a = vdouble_max(vdouble_size(x), vdouble_size(y));
  vdouble b = vdouble_min(vdouble_size(x), vdouble_size(y));
  vdouble_pair first = vdouble_two_product(a, a), second = vdouble_two_product(b, b);
  vdouble_pair sum = vdouble_fast_two_sum(first.high, second.high);
  vdouble root = vdouble_root(sum.high);
  vdouble_pair square = vdouble_two_product(root, root);
  vdouble rest = ((sum.high - square.high) - square.low) + (sum.low + first.low + second.low);
  vdouble value = root + rest / (root + root);
  vdouble_mask done = (a < most) & (a > least) & (x == x) & (y == y);
  return vdouble_all(done) ? value : vdouble_hypot_left(done, value, x, y);
}
