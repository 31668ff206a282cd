// special.cpp: the inverses of the error function and of the normal distribution.
#include "math_functions.h"

namespace simulator {

static const double pi = 3.14159265358979323846;

// Solves erfc(y) = x for 0 < x <= 1. Starts from Winitzki's closed form for the inverse of erf
// (small errors everywhere), or from the leading term of erfc's expansion in the tail, and
// continues with Halley's method, whose step follows from erfc'(y) = -2/sqrt(pi) exp(-y^2) and
// erfc'' = -2 y erfc'.
static double upper_inverse_erfc(double x) {
  double y;
  if (x > 1e-3) {
    const double a = 0.147;
    double l = log1p(-(1 - x) * (1 - x)), t = 2 / (pi * a) + l / 2;
    y = sqrt(fmax(0.0, sqrt(t * t - l / a) - t));
  } else {
    double l = -log(x * sqrt(pi));
    y = sqrt(fmax(0.25, l - 0.5 * log(l)));
  }
  for (int step = 0; step < 6; step++) {
    double value = erfc(y), slope = -2 / sqrt(pi) * exp(-y * y);
    if (slope == 0) break;
    double newton = (value - x) / slope;
    double change = newton / (1 + y * newton);
    y -= change;
    if (fabs(change) <= 1e-16 * fabs(y)) break;
  }
  return y;
}

double inverse_erfc(double x) {
  if (!(x >= 0 && x <= 2)) return NAN;
  if (x == 0) return INFINITY;
  if (x == 2) return -INFINITY;
  if (x > 0.5 && x < 1.5) return inverse_erf(1 - x);
  return x <= 1 ? upper_inverse_erfc(x) : -upper_inverse_erfc(2 - x);
}

double inverse_erf(double x) {
  double magnitude = fabs(x);
  if (!(magnitude <= 1)) return NAN;
  if (magnitude == 1) return copysign(INFINITY, x);
  if (magnitude > 0.5) return copysign(upper_inverse_erfc(1 - magnitude), x);
  // Near zero 1 - x would lose digits, so apply Halley's method to erf itself.
  double y = magnitude * sqrt(pi) / 2;
  for (int step = 0; step < 8; step++) {
    double slope = 2 / sqrt(pi) * exp(-y * y), newton = (erf(y) - magnitude) / slope;
    double change = newton / (1 + y * newton);
    y -= change;
    if (fabs(change) <= 1e-17 * fabs(y) || y == 0) break;
  }
  return copysign(y, x);
}

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) return NAN;
  return -1.41421356237309504880 * inverse_erfc(2 * p);
}

} // namespace simulator
