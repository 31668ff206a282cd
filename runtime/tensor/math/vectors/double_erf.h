/* double_erf.h: erf of vdouble. Included by functions.h. */

/* Returns erf x: x + x P(x^2) up to 7/8, 1 - e^-Q(|x| - 7/8) further out. */
static inline vdouble vdouble_erf(vdouble x) {
  vdouble size = vdouble_min(vdouble_spread(6), vdouble_size(x)), z = size * size;
  vdouble near = vdouble_fma(size, TERMS(erf, z), size);
  vdouble far = 1 - vdouble_exp(-TERMS(erf_tail, size - 0.875));
  return vdouble_copysign(vdouble_select(size < 0.875, near, far), x);
}
