/* erf_math.h: the error function and the normal distribution on vectors, by polynomials of best
 * approximation.
 *
 * vfloat_rounded_erf: x P(x^2) near 0 and sign(x) (1 - e^-Q(|x|)) further out, evaluated in
 * float64, right to 2^-36, and rounded once. vfloat_normal_cdf: evaluated in float32, right to
 * 2^-22. Both accept any x, infinities and NaN included. */
#ifndef TOCHA_ERF_MATH_H
#define TOCHA_ERF_MATH_H

#include <math.h>

#include "tensor/math/quotient_math.h"
#include "tensor/math/rounded_math.h"
#ifndef TOCHA_HAVE_SLEEF
#include "tensor/math/vectors/functions.h"
#endif

/* Returns erf x = 1 - e t P(t) with t = 1 / (1 + p x), given e = e^-x^2. Right to 3e-7: formula
 * 7.1.26 in the handbook of Abramowitz and Stegun, which PyTorch's gradient of gelu uses. */
#define TOCHA_HANDBOOK_SLOPE 0.3275911f
static const float tocha_handbook[] = {1.061405429f, -1.453152027f, 1.421413741f, -0.284496736f,
                                       0.254829592f};
static inline float tocha_erf_by_exp(float x, float e) {
  float t = 1 / (TOCHA_HANDBOOK_SLOPE * fabsf(x) + 1), sum = 0;
  for (int i = 0; i < 5; i++) sum = sum * t + tocha_handbook[i];
  return copysignf(1, x) * (1 - e * t * sum);
}

#ifdef TOCHA_VECTORS

#define HORNER(vector, x, p) vector##_polynomial(x, p, (int)(sizeof(p) / sizeof *(p)))

/* Returns e^-x for 0 <= x <= 100. The lowest bits of the sum are those of k, and are added to
 * the exponent. */
static inline vdouble vdouble_exp_of_minus(vdouble x) {
  static const double p[] = {2.4727299133774641e-05, 0.0001991543480847972, 0.001388917848951856,
                             0.0083332670085493245,  0.041666664220953227,  0.16666666885571166,
                             0.50000000006180156,    0.99999999998060396,   0.99999999999976241};
  const vdouble shift = (vdouble){0} + 0x1.8p52;
  vdouble k = vdouble_fma(x, (vdouble){0} - 1.4426950408889634074, shift);
  vdouble r = vdouble_fma(k - shift, (vdouble){0} - 0.69314718055994530942, -x);
  return vdouble_of_bits(vdouble_bits(HORNER(vdouble, r, p)) + (vdouble_bits(k) << 52));
}
static inline vfloat vfloat_exp_of_minus(vfloat x) {
  static const float p[] = {0.00829764661f, 0.0419154193f, 0.16667575f,
                            0.499988945f,   0.999999692f,  1.00000007f};
  typedef uint32_t bits __attribute__((vector_size(TOCHA_VECTOR_BYTES)));
  const vfloat shift = (vfloat){0} + 0x1.8p23f;
  vfloat k = vfloat_fma(x, (vfloat){0} - 1.44269504f, shift);
  vfloat r = vfloat_fma(k - shift, (vfloat){0} - 0.693147181f, -x), value = HORNER(vfloat, r, p);
  bits whole, part;
  memcpy(&whole, &k, sizeof whole);
  memcpy(&part, &value, sizeof part);
  part += whole << 23;
  memcpy(&value, &part, sizeof value);
  return value;
}

/* Returns erf x for 0 <= x <= 4. `high` is the sum of Q's terms from x^5 on, divided by x^5. */
static inline vdouble vdouble_near_erf(vdouble x, vdouble high) {
  static const double near[] = {
      0.00010320020199167615, -0.00084645235513244735, 0.0052219402752009232, -0.026865914647408243,
      0.11283790132509544,    -0.37612638868382792,    1.1283791670942229};
  static const double low[] = {-0.018905382235611647, 0.10267226537691811, 0.63665028589396777,
                               1.128373556674527, 4.7023828031456105e-07};
  vdouble q = high;
  for (int i = 0; i < 5; i++) q = vdouble_fma(q, x, (vdouble){0} + low[i]);
  return vdouble_select(x < 0.6, x * HORNER(vdouble, x * x, near), 1 - vdouble_exp_of_minus(q));
}
/* Returns erf x. Q's high terms are computed in float32: they contribute so little that it is enough. */
static inline vfloat vfloat_rounded_erf(vfloat x) {
  static const float high[] = {1.9095370508504053e-08f, -5.2531245752787544e-07f,
                               6.6637076814442174e-06f, -5.1515495124564013e-05f,
                               0.00026807510916186867f, -0.00095770609325777217f,
                               0.0021134971620110298f,  -0.000564194188407216f};
  vfloat size = vfloat_min((vfloat){0} + 4, vfloat_copysign(x, (vfloat){0}));
  vfloat h = HORNER(vfloat, size, high);
  vdouble lower = vdouble_near_erf(vfloat_low(size), vfloat_low(h));
  vdouble upper = vdouble_near_erf(vfloat_high(size), vfloat_high(h));
  return vfloat_copysign(vfloat_of(lower, upper), x);
}

static inline vfloat vfloat_erf(vfloat x) { return vfloat_rounded_erf(x); }

/* Returns the normal distribution's P(X <= x): 1 - e^-Q(|x|) if x >= 0, else 1 minus that; exact
 * at 0. */
static inline vfloat vfloat_normal_cdf(vfloat x) {
  static const float q[] = {1.92144057e-06f, -2.67698924e-05f, 0.000126532497f,
                            0.000101109115f, -0.00490434282f,  0.0363937132f,
                            0.318296582f,    0.797885716f,     0.693147302f};
  vfloat size = vfloat_min((vfloat){0} + 5.66f, vfloat_copysign(x, (vfloat){0}));
  vfloat value = 1 - vfloat_exp_of_minus(HORNER(vfloat, size, q));
  return vfloat_select(x < 0, 1 - value, value);
}
static inline vdouble vdouble_normal_cdf(vdouble x) {
  return (1 + VDOUBLE_FUNCTION(erf, u10)(x * 0.70710678118654752440)) * 0.5;
}

/* Does the same as tocha_erf_by_exp on vectors. Doubles call erf instead. */
static inline vfloat vfloat_erf_by_exp(vfloat x, vfloat e) {
  const vfloat one = (vfloat){0} + 1, slope = (vfloat){0} + TOCHA_HANDBOOK_SLOPE;
  vfloat t = one / vfloat_fma(vfloat_copysign(x, (vfloat){0}), slope, one);
  return vfloat_copysign(one, x) * vfloat_fma(-e * t, HORNER(vfloat, t, tocha_handbook), one);
}
#undef HORNER
static inline vdouble vdouble_erf_by_exp(vdouble x, vdouble e) {
  (void)e;
  return VDOUBLE_FUNCTION(erf, u10)(x);
}

#endif
#endif
