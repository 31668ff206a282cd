/* gamma_math.h: the derivatives of the logarithm of the gamma function, for C and for CUDA C++.
 * Each type takes the same steps as in PyTorch, because the steps show in the last digits, and
 * in the values for which sin(pi x) should be 0. */
#ifndef TOCHA_GAMMA_MATH_H
#define TOCHA_GAMMA_MATH_H

#include <math.h>

#define TOCHA_PI 3.14159265358979323846

/* Returns the term that reflection adds, pi / tan(pi x). digamma reflects x < 0, applies the
 * recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.18). */
TOCHA_DEVICE static inline double tocha_digamma_reflected(double x) {
  return TOCHA_PI / tan(TOCHA_PI * (x - trunc(x)));
}

TOCHA_DEVICE static inline float tocha_digamma_above_0(float x) {
  float result = 0, y = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  if (x == 10) return result + 2.25175258906672110764f;
  if (x < 1.0e17f) {
    float z = 1 / (x * x);
    y = 8.33333333333333333333e-2f * z - 2.10927960927960927961e-2f;
    y = (y * z + 7.57575757575757575758e-3f) * z - 4.16666666666666666667e-3f;
    y = (y * z + 3.96825396825396825397e-3f) * z - 8.33333333333333333333e-3f;
    y = (y * z + 8.33333333333333333333e-2f) * z;
  }
  return result + logf(x) - 0.5f / x - y;
}

TOCHA_DEVICE static inline float tocha_digamma_float(float x) {
  if (x == 0) return copysignf(INFINITY, -x);
  if (!(x < 0)) return tocha_digamma_above_0(x);
  if (x == truncf(x)) return NAN;
  return tocha_digamma_above_0(1 - x) - (float)tocha_digamma_reflected((double)x);
}

TOCHA_DEVICE static inline double tocha_digamma_above_0_double(double x) {
  double result = 0, y = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  if (x == 10) return result + 2.25175258906672110764;
  if (x < 1.0e17) {
    double z = 1 / (x * x);
    y = 8.33333333333333333333e-2 * z - 2.10927960927960927961e-2;
    y = (y * z + 7.57575757575757575758e-3) * z - 4.16666666666666666667e-3;
    y = (y * z + 3.96825396825396825397e-3) * z - 8.33333333333333333333e-3;
    y = (y * z + 8.33333333333333333333e-2) * z;
  }
  return result + log(x) - 0.5 / x - y;
}

TOCHA_DEVICE static inline double tocha_digamma_double(double x) {
  if (x == 0) return copysign(INFINITY, -x);
  if (!(x < 0)) return tocha_digamma_above_0_double(x);
  if (x == trunc(x)) return NAN;
  return tocha_digamma_above_0_double(1 - x) - tocha_digamma_reflected(x);
}

/* Returns the derivative of digamma, in the same three steps (Abramowitz and Stegun 6.4.7,
 * 6.4.6, 6.4.12). */
TOCHA_DEVICE static inline float tocha_trigamma_float(float x) {
  const float pi = (float)TOCHA_PI;
  float sign = 1, result = 0;
  if (x < 0.5f) {
    float sine = sinf(pi * x);
    result -= pi * pi / (sine * sine);
    sign = -1;
    x = 1 - x;
  }
  for (int i = 0; i < 6; i++, x += 1) result += 1 / (x * x);
  float z = 1 / (x * x);
  result += (1 + 1 / (2 * x) + z * (1.0f / 6 - z * (1.0f / 30 - z * (1.0f / 42)))) / x;
  return sign * result;
}

TOCHA_DEVICE static inline double tocha_trigamma_double(double x) {
  double sign = 1, result = 0;
  if (x < 0.5) {
    double sine = sin(TOCHA_PI * x);
    result -= TOCHA_PI * TOCHA_PI / (sine * sine);
    sign = -1;
    x = 1 - x;
  }
  for (int i = 0; i < 6; i++, x += 1) result += 1 / (x * x);
  double z = 1 / (x * x);
  result += (1 + 1 / (2 * x) + z * (1.0 / 6 - z * (1.0 / 30 - z * (1.0 / 42)))) / x;
  return sign * result;
}

/* Returns the Hurwitz zeta function, the sum of (q + k)^-s, by Euler and Maclaurin's formula
 * (Abramowitz and Stegun 23.1.30). `first` is the first term, q^-s. Terms with q + k below
 * -10,000 are skipped. */
TOCHA_DEVICE static inline double tocha_zeta(double s, double q, double first) {
  const double epsilon = 1.11022302462515654042e-16;
  const double a[12] = {12.0,
                        -720.0,
                        30240.0,
                        -1209600.0,
                        47900160.0,
                        -1.8924375803183791606e9,
                        7.47242496e10,
                        -2.950130727918164224e12,
                        1.1646782814350067249e14,
                        -4.5979787224074726105e15,
                        1.8152105401943546773e17,
                        -7.1661652561756670113e18};
  double sum = first, term = 0, factor = 1;
  if (q <= 0 && q == floor(q)) return INFINITY;
  if (q < -1e4) q = q - floor(q) - 1e4;
  for (int i = 0; i < 9 || q <= 9; i++) {
    q += 1;
    term = pow(q, -s);
    sum += term;
    if (fabs(term) < epsilon * fabs(sum)) return sum;
  }
  sum += term * q / (s - 1);
  sum -= 0.5 * term;
  for (int i = 0; i < 12; i++) {
    factor *= s + 2 * i;
    term /= q;
    double t = factor * term / a[i];
    sum += t;
    if (fabs(t / sum) < epsilon) return sum;
    factor *= s + 2 * i + 1;
    term /= q;
  }
  return sum;
}

/* Returns the n-th derivative of digamma; from n = 2 on, (-1)^(n+1) n! zeta(n + 1, x)
 * (Abramowitz and Stegun 6.4.10). */
TOCHA_DEVICE static inline float tocha_polygamma_float(float n, float x) {
  if (n == 0) return tocha_digamma_float(x);
  if (n == 1) return tocha_trigamma_float(x);
  double sign = fmod((double)n, 2.0) == 0 ? -1 : 1;
  float zeta = (float)tocha_zeta((double)n + 1, (double)x, (double)powf(x, -(n + 1)));
  return (float)(sign * exp(lgamma((double)n + 1)) * (double)zeta);
}

TOCHA_DEVICE static inline double tocha_polygamma_double(double n, double x) {
  if (n == 0) return tocha_digamma_double(x);
  if (n == 1) return tocha_trigamma_double(x);
  double sign = fmod(n, 2.0) == 0 ? -1 : 1;
  return sign * exp(lgamma(n + 1)) * tocha_zeta(n + 1, x, pow(x, -(n + 1)));
}

#ifdef __cplusplus
TOCHA_DEVICE static inline float tocha_digamma(float x) { return tocha_digamma_float(x); }
TOCHA_DEVICE static inline double tocha_digamma(double x) { return tocha_digamma_double(x); }
TOCHA_DEVICE static inline float tocha_polygamma(float n, float x) {
  return tocha_polygamma_float(n, x);
}
TOCHA_DEVICE static inline double tocha_polygamma(double n, double x) {
  return tocha_polygamma_double(n, x);
}
#else
#define tocha_digamma(x)                                                                           \
  _Generic((x), float : tocha_digamma_float, default : tocha_digamma_double)(x)
#define tocha_polygamma(n, x)                                                                      \
  _Generic((x), float : tocha_polygamma_float, default : tocha_polygamma_double)(n, x)
#endif
#undef TOCHA_PI

#endif
