/* element.h: elements of any dtype: reads one as the type that a kernel computes in, writes it
 * back, and chooses a kernel's type parameter by dtype on the host. */
#pragma once

#include <type_traits>

#include "common/half.h"
#include "common/kernel.h"
#include "tocha/types.h"

namespace tocha {

template <class T> struct Type { using type = T; };

/* Calls f(Type<T>()) for the C++ type of a floating dtype. */
template <class F> auto with_floating(int dtype, F f) {
  switch (dtype) {
  case TOCHA_FLOAT16:
    return f(Type<float16>());
  case TOCHA_BFLOAT16:
    return f(Type<bfloat16>());
  case TOCHA_FLOAT32:
    return f(Type<float>());
  default:
    return f(Type<double>());
  }
}

inline bool is_floating(int dtype) { return dtype >= TOCHA_FLOAT16; }

/* Returns the bytes of an element. */
HOST_DEVICE inline int item_bytes(int dtype) {
  switch (dtype) {
#define DTYPE(ID, name, type, category, real, scalar_type, cpp_name, alias, digits, max)           \
  case TOCHA_##ID:                                                                                 \
    return static_cast<int>(sizeof(type));
#include "tocha/dtypes.def"
#undef DTYPE
  default:
    return 0;
  }
}

/* Calls f(Type<T>()) for elements that are only moved, by their size. */
template <class F> auto with_size(int bytes, F f) {
  switch (bytes) {
  case 1:
    return f(Type<unsigned char>());
  case 2:
    return f(Type<unsigned short>());
  case 4:
    return f(Type<unsigned int>());
  default:
    return f(Type<unsigned long long>());
  }
}

/* 16 bytes that are moved at once. */
struct alignas(16) Piece16 {
  unsigned long long halves[2];
};

/* Does the same as with_size, also for pieces of 16 bytes. */
template <class F> auto with_piece(int bytes, F f) {
  return bytes == 16 ? f(Type<Piece16>()) : with_size(bytes, f);
}

/* The type for arithmetic on T: float for the 16-bit types, T itself for the others. */
template <class T> struct Arithmetic { using type = T; };
template <> struct Arithmetic<float16> { using type = float; };
template <> struct Arithmetic<bfloat16> { using type = float; };

/* Converts a number to another type: between a 16-bit type and float, or as C++ does. NaN and
 * numbers out of range become integers as the GPU's own conversion does it. */
template <class To, class From> HOST_DEVICE inline To convert(From x) {
  constexpr bool from_half =
      std::is_same<From, float16>::value || std::is_same<From, bfloat16>::value;
  constexpr bool to_half = std::is_same<To, float16>::value || std::is_same<To, bfloat16>::value;
  if constexpr (from_half)
    return convert<To>(to_float(x));
  else if constexpr (to_half)
    return from_float<To>(static_cast<float>(x));
  else
    return static_cast<To>(x);
}

/* Returns the sum, or the product; integers wrap. */
template <class T> HOST_DEVICE inline T plus(T a, T b) {
  if constexpr (std::is_same<T, long long>::value)
    return static_cast<T>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
  else
    return a + b;
}
template <class T> HOST_DEVICE inline T times(T a, T b) {
  if constexpr (std::is_same<T, long long>::value)
    return static_cast<T>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
  else
    return a * b;
}

/* Returns the larger one; NaN is the largest. */
template <class T> HOST_DEVICE inline T greater(T a, T b) { return b > a || b != b ? b : a; }

/* A bool as it is stored. */
struct boolean {
  unsigned char byte;
};

/* Calls f(Type<S>()) for the type in which elements of dtype are stored, on the device. dtype is
 * the same for all threads. */
template <class F> __device__ inline auto with_stored(int dtype, F f) {
  switch (dtype) {
  case TOCHA_BOOL:
    return f(Type<boolean>());
  case TOCHA_UINT8:
    return f(Type<unsigned char>());
  case TOCHA_INT8:
    return f(Type<signed char>());
  case TOCHA_INT16:
    return f(Type<short>());
  case TOCHA_INT32:
    return f(Type<int>());
  case TOCHA_INT64:
    return f(Type<long long>());
  case TOCHA_FLOAT16:
    return f(Type<float16>());
  case TOCHA_BFLOAT16:
    return f(Type<bfloat16>());
  case TOCHA_FLOAT32:
    return f(Type<float>());
  default:
    return f(Type<double>());
  }
}

/* Converts a number to an integer, which wraps. Floating point truncates, to int64 or to int32
 * and from there. NaN and numbers out of range become the smallest value of these, as in the
 * CPU's loops and in PyTorch on x86. */
template <class S, class T> __device__ inline S to_integer(T x) {
  if constexpr (std::is_integral<T>::value)
    return static_cast<S>(x);
  else if constexpr (sizeof(S) == 8)
    return x > T(-9223372036854775808.0) && x < T(9223372036854775808.0) ? static_cast<S>(x)
                                                                         : INT64_MIN;
  else
    return static_cast<S>(x > T(-2147483649.0) && x < T(2147483648.0) ? static_cast<int>(x)
                                                                      : INT32_MIN);
}

/* Converts a stored element to a T to compute with, and back. */
template <class T, class S> __device__ inline T from_stored(S x) {
  if constexpr (std::is_same<S, boolean>::value)
    return static_cast<T>(x.byte != 0);
  else
    return convert<T>(x);
}
template <class S, class T> __device__ inline S to_stored(T x) {
  if constexpr (std::is_same<S, boolean>::value)
    return boolean{static_cast<unsigned char>(x != 0)};
  else if constexpr (std::is_integral<S>::value)
    return to_integer<S>(x);
  else
    return convert<S>(x);
}

/* Reads or writes one element at `at`, whose dtype is known only at run time and is the same for
 * all threads. */
template <class T> __device__ inline T load(const void *at, int dtype) {
  return with_stored(dtype, [=](auto type) {
    using S = typename decltype(type)::type;
    return from_stored<T>(*static_cast<const S *>(at));
  });
}
template <class T> __device__ inline void store(void *at, int dtype, T value) {
  with_stored(dtype, [=](auto type) {
    using S = typename decltype(type)::type;
    *static_cast<S *>(at) = to_stored<S>(value);
  });
}

} // namespace tocha
