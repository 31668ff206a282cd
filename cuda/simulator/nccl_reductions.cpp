// nccl_reductions.cpp: the simulated NCCL's arithmetic.
#include "nccl_reductions.h"

#include "../common/half.h"

#include <cstring>
#include <type_traits>

namespace simulator {

size_t element_bytes(int type) {
  static const size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return type >= 0 && type < 12 ? bytes[type] : 0;
}

// The type that elements are computed in.
template <class T> struct Arithmetic { using type = T; };
template <> struct Arithmetic<float16> { using type = float; };
template <> struct Arithmetic<bfloat16> { using type = float; };

template <class T> static typename Arithmetic<T>::type load(const char *at) {
  T value;
  memcpy(&value, at, sizeof value);
  if constexpr (std::is_arithmetic<T>::value)
    return value;
  else
    return to_float(value);
}

template <class T> static void store(char *at, typename Arithmetic<T>::type wide) {
  T value;
  if constexpr (std::is_arithmetic<T>::value)
    value = wide;
  else
    value = from_float<T>(wide);
  memcpy(at, &value, sizeof value);
}

// Rounds to T.
template <class T> static typename Arithmetic<T>::type rounded(typename Arithmetic<T>::type wide) {
  char bytes[sizeof(T)];
  store<T>(bytes, wide);
  return load<T>(bytes);
}

template <class W> static W sum(W a, W b) {
  if constexpr (std::is_integral<W>::value)
    return static_cast<W>(static_cast<std::make_unsigned_t<W>>(a) +
                          static_cast<std::make_unsigned_t<W>>(b));
  else
    return a + b;
}

template <class W> static W product(W a, W b) {
  if constexpr (std::is_integral<W>::value)
    return static_cast<W>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

template <class W> static W combine(int op, W a, W b) {
  switch (op) {
  case ncclProd:
    return product(a, b);
  case ncclMax:
    return b > a || b != b ? b : a; // a NaN wins
  case ncclMin:
    return b < a || b != b ? b : a;
  default:
    return sum(a, b);
  }
}

// NCCL multiplies floating-point inputs of a mean by 1 / ranks, and divides the sum of integers.
template <class T>
static void reduce(const std::vector<Input> &inputs, char *output, size_t count, const Deed &deed) {
  using W = typename Arithmetic<T>::type;
  const bool is_mean = deed.op == ncclAvg, is_integral = std::is_integral<W>::value;
  const bool scales = deed.op >= ncclNumOps || (is_mean && !is_integral);
  for (size_t i = 0; i < count; i++) {
    W total = W();
    for (size_t r = 0; r < inputs.size(); r++) {
      W value = load<T>(inputs[r].elements + i * sizeof(T));
      const double factor = is_mean ? 1.0 / double(inputs.size()) : inputs[r].factor;
      if (scales) value = rounded<T>(product(value, static_cast<W>(factor)));
      total = r ? rounded<T>(combine(deed.op, total, value)) : value;
    }
    if (is_mean && is_integral) total = static_cast<W>(total / static_cast<W>(inputs.size()));
    store<T>(output + i * sizeof(T), total);
  }
}

double element_as_double(const char *element, int type) {
  switch (type) {
  case ncclInt8:
    return load<int8_t>(element);
  case ncclUint8:
    return load<uint8_t>(element);
  case ncclInt32:
    return load<int32_t>(element);
  case ncclUint32:
    return load<uint32_t>(element);
  case ncclInt64:
    return static_cast<double>(load<int64_t>(element));
  case ncclUint64:
    return static_cast<double>(load<uint64_t>(element));
  case ncclFloat16:
    return load<float16>(element);
  case ncclFloat32:
    return load<float>(element);
  case ncclFloat64:
    return load<double>(element);
  case ncclBfloat16:
    return load<bfloat16>(element);
  default:
    return 0;
  }
}

void reduce_elements(const std::vector<Input> &inputs, char *output, size_t count,
                     const Deed &deed) {
  switch (deed.type) {
  case ncclInt8:
    return reduce<int8_t>(inputs, output, count, deed);
  case ncclUint8:
    return reduce<uint8_t>(inputs, output, count, deed);
  case ncclInt32:
    return reduce<int32_t>(inputs, output, count, deed);
  case ncclUint32:
    return reduce<uint32_t>(inputs, output, count, deed);
  case ncclInt64:
    return reduce<int64_t>(inputs, output, count, deed);
  case ncclUint64:
    return reduce<uint64_t>(inputs, output, count, deed);
  case ncclFloat16:
    return reduce<float16>(inputs, output, count, deed);
  case ncclFloat32:
    return reduce<float>(inputs, output, count, deed);
  case ncclFloat64:
    return reduce<double>(inputs, output, count, deed);
  default:
    return reduce<bfloat16>(inputs, output, count, deed);
  }
}

} // namespace simulator
