/* exp_sum.h: the sum of exp(x) over numbers that arrive one by one, stored as their maximum,
 * top, and the sum of exp(x - top): log sum exp and softmax in one pass (M. Milakov and N.
 * Gimelshein, "Online normalizer calculation for softmax", 2018). Numbers equal to top add 1,
 * even infinite ones. */
#pragma once

#include <cmath>

#include "common/element.h"

namespace tocha {

template <class A> struct ExpSum {
  A top, sum;
  __device__ static ExpSum none() { return {static_cast<A>(-HUGE_VALF), 0}; }
  __device__ void add(A x) {
    if (x > top) {
      sum = sum * exp(top - x) + 1;
      top = x;
    } else {
      sum += x == top ? 1 : exp(x - top);
    }
  }
};

template <class A> __device__ inline ExpSum<A> joined(ExpSum<A> a, ExpSum<A> b) {
  if (a.top == b.top) return {a.top, a.sum + b.sum};
  return a.top > b.top ? ExpSum<A>{a.top, a.sum + b.sum * exp(b.top - a.top)}
                       : ExpSum<A>{b.top, b.sum + a.sum * exp(a.top - b.top)};
}

} // namespace tocha
