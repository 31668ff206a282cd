/* double_erf.h: erf and erfc of vdouble. Included by functions.h. */

/* Returns erf x: x + x P(x^2) up to 7/8, 1 - e^-Q(|x| - 7/8) further out. */
static inline vdouble vdouble_erf(vdouble x) {
  vdouble size = vdouble_min(vdouble_spread(6), vdouble_size(x)), z = size * size;
  vdouble near = vdouble_fma(size, TERMS(erf, z), size);
  vdouble far = 1 - vdouble_exp(-TERMS(erf_tail, size - 0.875));
  return vdouble_copysign(vdouble_select(size < 0.875, near, far), x);
}

/* Returns erfc x = e^-x^2 (1 + u P(2u - 1)) / (1 + 2|x|) with u = |x| / (|x| + 4), or 2 minus that if x is
 * negative. All but u P are pairs. */
static inline vdouble vdouble_erfc(vdouble x) {
  vdouble size = vdouble_min(vdouble_spread(28), vdouble_size(x)), share = size / (size + 4);
  vdouble_pair top =
      vdouble_fast_two_sum(vdouble_spread(1), share * TERMS(erfc, share + share - 1));
  vdouble_pair scaled = vdouble_quotient(top, vdouble_two_sum(vdouble_spread(1), size + size));
  vdouble_pair square = vdouble_two_product(size, size);
  vdouble_reduced r = vdouble_reduce_exp((vdouble_pair){-square.high, -square.low});
  vdouble_pair power = vdouble_fast_two_sum(vdouble_spread(1), r.rest.high);
  power.low += vdouble_exp_tail(r.rest);
  vdouble_pair product = vdouble_two_product(power.high, scaled.high);
  product.low += vdouble_fma(power.high, scaled.low, power.low * scaled.high);
  vdouble value = vdouble_scale_far(product.high + product.low, r.shifted);
  return vdouble_select(x < 0, 2 - value, value);
}
