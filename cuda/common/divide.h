/* divide.h: division by a number that the host knows before the launch. */
#pragma once

#include "common/kernel.h"

namespace tocha {

template <class I> struct Divisor {
  I divisor;
  Divisor() = default;
  explicit Divisor(I d) : divisor(d) {}
  __device__ I quotient(I n) const { return n / divisor; }
};

/* Divides 32-bit numbers by one multiplication and one shift (Granlund and Montgomery, "Division
 * by Invariant Integers using Multiplication", 1994, section 4), for n and divisor below 2^31. */
template <> struct Divisor<unsigned> {
  unsigned divisor, magic, shift;
  Divisor() = default;
  explicit Divisor(unsigned d) : divisor(d), magic(0), shift(0) {
    while ((1ULL << shift) < d) shift++;
    magic = static_cast<unsigned>((((1ULL << shift) - d) << 32) / d + 1);
  }
  __device__ unsigned quotient(unsigned n) const { return (__umulhi(n, magic) + n) >> shift; }
};

} // namespace tocha
