/* formulas.h: the losses that work element by element, with their derivatives by the input x. In C, T is a type of the
 * including file; in C++ (kernels of a device) the functions are templates. t: the target; order: the order of the derivative;
 * p: beta or delta. The order of operations decides the last digit. */
#ifndef TOCHA_LOSS_FORMULAS_H
#define TOCHA_LOSS_FORMULAS_H

#include "ops/loss/loss.h"
#include "tensor/math/scalar_math.h"

#ifdef __cplusplus
#define LOSS_FORMULA template <class T> TOCHA_DEVICE inline
#else
#define LOSS_FORMULA static inline __attribute__((always_inline))
#endif

LOSS_FORMULA T tocha_at_least(T x, T minimum) { return x < minimum ? minimum : x; }

/* Returns d^2, or a derivative of it. */
LOSS_FORMULA T tocha_mse(int order, T x, T t) {
  T d = x - t;
  return order == 0 ? d * d : order == 1 ? 2 * d : order == 2 ? (T)2 : (T)0;
}

/* Returns d^2 / (2 p) if |d| < p, else |d| - p / 2, or a derivative of it. */
LOSS_FORMULA T tocha_smooth_l1(int order, T p, T x, T t) {
  T d = x - t, size = TOCHA_SCALAR_MATH(fabs, d);
  if (order == 0) return size < p ? (T)0.5 * d * d / p : size - (T)0.5 * p;
  if (order == 1) return size < p ? d / p : d > 0 ? (T)1 : d < 0 ? (T)-1 : d;
  return order == 2 && size < p ? 1 / p : (T)0;
}

/* Returns d^2 / 2 if |d| <= p, else p (|d| - p / 2), or a derivative of it. The second derivative at a corner is 0. */
LOSS_FORMULA T tocha_huber(int order, T p, T x, T t) {
  T d = x - t, size = TOCHA_SCALAR_MATH(fabs, d);
  if (order == 0) return size <= p ? (T)0.5 * d * d : p * (size - (T)0.5 * p);
  if (order == 1) return d > p ? p : d < -p ? -p : d;
  return order == 2 && size < p ? (T)1 : (T)0;
}

/* Returns -(t log x + (1 - t) log(1 - x)), logarithms at least -100, or the first derivative. */
LOSS_FORMULA T tocha_bce(int order, T x, T t) {
  if (order == 0)
    return (t - 1) * tocha_at_least(LOG1P(-x), (T)-100) - t * tocha_at_least(LOG(x), (T)-100);
  return (x - t) / tocha_at_least((1 - x) * x, (T)1e-12);
}

/* Returns the same loss of sigmoid(x), as (1 - t) x - log sigmoid(x), or its first or second derivative. */
LOSS_FORMULA T tocha_bce_logits(int order, T x, T t) {
  T size = TOCHA_SCALAR_MATH(fabs, x);
  if (order == 0) return (1 - t) * x - ((x < 0 ? x : (T)0) - LOG1P(EXP(-size)));
  T s = SIGMOID(x);
  return order == 1 ? s - t : s * (1 - s);
}

/* Returns the loss of `kind` (TOCHA_LOSS_*), or its derivative. */
LOSS_FORMULA T tocha_loss(int kind, int order, T p, T x, T t) {
  switch (kind) {
  case TOCHA_LOSS_MSE:
    return tocha_mse(order, x, t);
  case TOCHA_LOSS_SMOOTH_L1:
    return tocha_smooth_l1(order, p, x, t);
  case TOCHA_LOSS_HUBER:
    return tocha_huber(order, p, x, t);
  case TOCHA_LOSS_BCE:
    return tocha_bce(order, x, t);
  default:
    return tocha_bce_logits(order, x, t);
  }
}

#undef LOSS_FORMULA
#endif
