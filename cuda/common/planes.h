/* planes.h: splits the numbers of items of planes (planes, D, H, W) into positions. */
#pragma once

#include "common/divide.h"

namespace tocha {

template <class I> struct Planes {
  Divisor<I> width, height, depth;
  I total;
  Planes(long long planes, const int64_t *sizes)
      : width(static_cast<I>(sizes[2])), height(static_cast<I>(sizes[1])),
        depth(static_cast<I>(sizes[0])),
        total(static_cast<I>(planes * sizes[0] * sizes[1] * sizes[2])) {}
  /* Writes the position of item i in its plane, and returns the plane. */
  template <class At> __device__ I split(I i, At (&at)[3]) const {
    const I lines = width.quotient(i), layers = height.quotient(lines);
    const I plane = depth.quotient(layers);
    at[2] = static_cast<At>(i - lines * width.divisor);
    at[1] = static_cast<At>(lines - layers * height.divisor);
    at[0] = static_cast<At>(layers - plane * depth.divisor);
    return plane;
  }
};

/* Calls f(planes) for `count` planes of these sizes, with numbers of 32 bits if these suffice. */
template <class F> void with_planes(long long count, const int64_t *sizes, F f) {
  if (count * sizes[0] * sizes[1] * sizes[2] < 1LL << 30)
    f(Planes<unsigned>(count, sizes));
  else
    f(Planes<long long>(count, sizes));
}

} // namespace tocha
