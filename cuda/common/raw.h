/* raw.h: elements in their stored form, loaded by one access and converted where they are used,
 * so that a thread can start several loads before it waits for the first. */
#pragma once

#include "common/element.h"

namespace tocha {

/* V elements of S in their stored form. */
template <class S, int V> struct Raw { unsigned words[(sizeof(S) * V + 3) / 4]; };

template <class S, int V> __device__ inline Raw<S, V> load_raw(const char *at) {
  Raw<S, V> raw = {};
  if constexpr (sizeof(raw) == sizeof(S) * V) {
    enum { WORDS = sizeof(raw) / 4 };
    const Vec<unsigned, WORDS> words = load_vec<WORDS>(reinterpret_cast<const unsigned *>(at));
    memcpy(raw.words, &words, sizeof raw);
  } else {
    const S value = *reinterpret_cast<const S *>(at);
    memcpy(raw.words, &value, sizeof value);
  }
  return raw;
}

/* Returns element j of the loaded ones, converted to T. */
template <class T, class S, int V> __device__ inline T element(const Raw<S, V> &raw, int j) {
  if constexpr (std::is_same<S, bfloat16>::value) { /* bfloat16 is the upper half of a float */
    const unsigned word = raw.words[j / 2];
    return float_of_bits(j % 2 ? word & 0xffff0000u : word << 16);
  } else {
    S values[V];
    memcpy(values, raw.words, sizeof values);
    return convert<T>(values[j]);
  }
}

template <class S, int V> __device__ inline Raw<S, V> load_raw(const S *at) {
  return load_raw<S, V>(reinterpret_cast<const char *>(at));
}

/* Loads the bits of N elements of any type, `step` bytes apart, of which only the first `count`
 * exist. */
template <class S, int N>
__device__ inline void load_sized(unsigned long long (&bits)[N], const char *at, long long step,
                                  long long count) {
  UNROLL for (int j = 0; j < N; j++) {
    bits[j] = j < count ? *reinterpret_cast<const S *>(at) : S(0);
    at += step;
  }
}
template <int N>
__device__ inline void load_bits(unsigned long long (&bits)[N], const char *at, long long step,
                                 long long count, int item) {
  if (item == 8)
    load_sized<unsigned long long>(bits, at, step, count);
  else if (item == 4)
    load_sized<unsigned>(bits, at, step, count);
  else if (item == 2)
    load_sized<unsigned short>(bits, at, step, count);
  else
    load_sized<unsigned char>(bits, at, step, count);
}

/* Converts such an element to T. */
template <class T> __device__ inline T from_bits(unsigned long long bits, int dtype) {
  return with_stored(dtype, [=](auto type) {
    typename decltype(type)::type value;
    memcpy(&value, &bits, sizeof value);
    return from_stored<T>(value);
  });
}

} // namespace tocha
