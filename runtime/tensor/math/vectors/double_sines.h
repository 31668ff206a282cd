/* double_sines.h: sin, cos and tan of vdouble. Included by functions.h.
 *
 * x = k pi / 2 + r, with pi / 2 in three parts of which the first two have 33 bits, so that their
 * products with k are exact (Cody and Waite). sin r = r + r^3 S(r^2), cos r = 1 - r^2 / 2 + r^4 C(r^2).
 * If |x| is 2^20 or more, or not finite, the C library computes the lane. */
static const double tocha_half_pi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
#define TOCHA_SINES_MOST 0x1p20f

typedef struct {
  vdouble shifted; /* k + shift */
  vdouble_pair sine, cosine;
} vdouble_sines;

/* Returns sin r and cos r of the rest of x. */
static inline vdouble_sines vdouble_sines_of(vdouble x) {
  vdouble shifted = vdouble_fma(x, vdouble_spread(0.63661977236758134308), vdouble_shift());
  vdouble k = shifted - vdouble_shift();
  vdouble first = vdouble_fma(k, vdouble_spread(-tocha_half_pi[0]), x);
  vdouble_pair r = vdouble_two_sum(first, k * -tocha_half_pi[1]);
  r = vdouble_fast_two_sum(r.high, vdouble_fma(k, vdouble_spread(-tocha_half_pi[2]), r.low));
  vdouble z = r.high * r.high, half = z * 0.5;
  vdouble_pair cosine = vdouble_fast_two_sum(vdouble_spread(1), -half);
  cosine.low += vdouble_fma(z * z, TERMS(cos, z), -r.high * r.low);
  vdouble sine = vdouble_fma(r.high * z, TERMS(sin, z), r.low);
  return (vdouble_sines){shifted, {r.high, sine}, cosine};
}
static inline vdouble_mask vdouble_is_odd(vdouble shifted) { return ((vuint64)shifted & 1) != 0; }
static inline vdouble vdouble_sin(vdouble x) {
  vdouble_sines s = vdouble_sines_of(x);
  vdouble value = vdouble_select(vdouble_is_odd(s.shifted), s.cosine.high + s.cosine.low,
                                 s.sine.high + s.sine.low);
  value = (vdouble)((vuint64)value ^ ((vuint64)s.shifted >> 1 << 63));
  value = vdouble_select(x == 0, x, value);
  vdouble_mask done = vdouble_size(x) < TOCHA_SINES_MOST;
  return vdouble_all(done) ? value : vdouble_sin_left(done, value, x);
}
static inline vdouble vdouble_cos(vdouble x) {
  vdouble_sines s = vdouble_sines_of(x);
  vdouble value = vdouble_select(vdouble_is_odd(s.shifted), s.sine.high + s.sine.low,
                                 s.cosine.high + s.cosine.low);
  value = (vdouble)((vuint64)value ^ (((vuint64)s.shifted + 1) >> 1 << 63));
  vdouble_mask done = vdouble_size(x) < TOCHA_SINES_MOST;
  return vdouble_all(done) ? value : vdouble_cos_left(done, value, x);
}
static inline vdouble vdouble_tan(vdouble x) {
  vdouble_sines s = vdouble_sines_of(x);
  vdouble_mask odd = vdouble_is_odd(s.shifted);
  vdouble_pair sine = vdouble_fast_two_sum(s.sine.high, s.sine.low);
  vdouble_pair cosine = vdouble_fast_two_sum(s.cosine.high, s.cosine.low);
  vdouble_pair above = {vdouble_select(odd, -cosine.high, sine.high),
                        vdouble_select(odd, -cosine.low, sine.low)};
  vdouble_pair below = {vdouble_select(odd, sine.high, cosine.high),
                        vdouble_select(odd, sine.low, cosine.low)};
  vdouble_pair quotient = vdouble_quotient(above, below);
  vdouble value = vdouble_select(x == 0, x, quotient.high + quotient.low);
  vdouble_mask done = vdouble_size(x) < TOCHA_SINES_MOST;
  return vdouble_all(done) ? value : vdouble_tan_left(done, value, x);
}
