/* erfinv_math.h: the inverse of erf, for C and for CUDA C++. */
#ifndef TOCHA_ERFINV_MATH_H
#define TOCHA_ERFINV_MATH_H

#include "tensor/math/scalar_math.h"

/* Returns the polynomial of degree 7 with these coefficients, the lowest power's first. */
TOCHA_DEVICE static inline double tocha_octic(const double *c, double r) {
  double sum = c[7];
  for (int k = 6; k >= 0; k--) sum = sum * r + c[k];
  return sum;
}
/* Computes the inverse of erf by Wichura's quotients of polynomials for the quantiles of the
 * normal distribution ("Algorithm AS 241", Applied Statistics 37, 1988). Right to 1e-15, so that
 * a result rounded to float is the nearest float. */
TOCHA_DEVICE static inline double tocha_inverse_erf(double x) {
  const double a[2][8] = {
      {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
       3.3430575583588128105e+4, 2.5090809287301226727e+3},
      {1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
       2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
       5.2264952788528545610e+3}};
  const double c[2][8] = {
      {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
       3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
       2.27238449892691845833e-2, 7.74545014278341407640e-4},
      {1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
       1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
       1.05075007164441684324e-9}};
  const double e[2][8] = {
      {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
       2.71155556874348757815e-5, 2.01033439929228813265e-7},
      {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
       7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
       2.04426310338993978564e-15}};
  const double root_half = 0.70710678118654752440;
  double half = x / 2;
  if (fabs(x) <= 0.85) {
    double r = 0.180625 - half * half;
    return half * (tocha_octic(a[0], r) / tocha_octic(a[1], r)) * root_half;
  }
  if (!(fabs(x) < 1)) return x == 1 ? HUGE_VAL : x == -1 ? -HUGE_VAL : NAN;
  double t = sqrt(-log((1 - fabs(x)) / 2));
  double size = t <= 5 ? tocha_octic(c[0], t - 1.6) / tocha_octic(c[1], t - 1.6)
                       : tocha_octic(e[0], t - 5) / tocha_octic(e[1], t - 5);
  return copysign(size * root_half, x);
}

#endif
