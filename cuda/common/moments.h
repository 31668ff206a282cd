/* moments.h: the number, the mean and the sum of squared distances from the mean of any part of
 * some numbers. */
#pragma once

#include "common/kernel.h"

namespace tocha {

template <class A> struct Moments {
  A count, mean, squares; /* squares: the sum of (x - mean)^2 */
};

/* Joins the moments of two parts (Chan, Golub and LeVeque, 1979). */
struct JoinMoments {
  template <class A> __device__ Moments<A> operator()(Moments<A> a, Moments<A> b) const {
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    A delta = b.mean - a.mean, count = a.count + b.count, share = b.count / count;
    return {count, a.mean + delta * share, a.squares + b.squares + delta * delta * a.count * share};
  }
};

} // namespace tocha
