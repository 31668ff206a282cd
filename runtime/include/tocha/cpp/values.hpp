/* values.hpp: what operators take beside tensors: dtypes, devices, numbers, lists. Lists are views for the duration of
 * a call; the other types are plain values. */
#ifndef TOCHA_CPP_VALUES_HPP
#define TOCHA_CPP_VALUES_HPP

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include "tocha/cpp/error.hpp"
#include "tocha/reflect.h"
#include "tocha/tensor.h"

namespace tocha {

/* A dtype; DType() is "no dtype", for arguments that are omitted. */
class DType {
public:
  constexpr DType() : dtype_(TOCHA_NO_DTYPE) {}
  constexpr DType(tocha_dtype dtype) : dtype_(dtype) {}
  constexpr operator tocha_dtype() const { return dtype_; }
  std::string name() const { return tocha_dtype_name(dtype_); }

private:
  tocha_dtype dtype_;
};
inline constexpr DType boolean = TOCHA_BOOL, uint8 = TOCHA_UINT8, int8 = TOCHA_INT8,
                       int16 = TOCHA_INT16, int32 = TOCHA_INT32, int64 = TOCHA_INT64,
                       float16 = TOCHA_FLOAT16, bfloat16 = TOCHA_BFLOAT16, float32 = TOCHA_FLOAT32,
                       float64 = TOCHA_FLOAT64, float8_e4m3fn = TOCHA_FLOAT8_E4M3FN,
                       float8_e5m2 = TOCHA_FLOAT8_E5M2, float8_e4m3fnuz = TOCHA_FLOAT8_E4M3FNUZ,
                       float8_e5m2fnuz = TOCHA_FLOAT8_E5M2FNUZ,
                       float8_e8m0fnu = TOCHA_FLOAT8_E8M0FNU;

/* The dtype whose elements are of a C++ type. float16, bfloat16 and float8 have none. */
template <class Element> constexpr DType dtype_of() {
  if constexpr (std::is_same_v<Element, bool>) return TOCHA_BOOL;
  if constexpr (std::is_same_v<Element, float>) return TOCHA_FLOAT32;
  if constexpr (std::is_same_v<Element, double>) return TOCHA_FLOAT64;
  if constexpr (std::is_integral_v<Element> && !std::is_same_v<Element, bool>) {
    static_assert(std::is_signed_v<Element> || sizeof(Element) == 1,
                  "there is no dtype for this type");
    if constexpr (sizeof(Element) == 1) return std::is_signed_v<Element> ? TOCHA_INT8 : TOCHA_UINT8;
    return sizeof(Element) == 2 ? TOCHA_INT16 : sizeof(Element) == 4 ? TOCHA_INT32 : TOCHA_INT64;
  }
  static_assert(std::is_arithmetic_v<Element>, "there is no dtype for this type");
}

/* A text for the duration of a call; Text() is omitted. Unlike a pointer it is never made of 0. */
class Text {
public:
  Text() = default;
  template <class Chars, std::enable_if_t<std::is_convertible_v<const Chars &, const char *> &&
                                              !std::is_integral_v<Chars>,
                                          int> = 0>
  Text(const Chars &chars) : chars_(chars) {}
  Text(const std::string &text) : chars_(text.c_str()) {}
  const char *get() const { return chars_; }

private:
  const char *chars_ = nullptr;
};

/* A device; Device() is "no device", for arguments that are omitted. */
class Device {
public:
  Device() : device_(tocha_no_device()) {}
  Device(tocha_device device) : device_(device) {}
  /* "cpu", "cuda", "cuda:1", "meta" */
  template <class Chars, std::enable_if_t<std::is_constructible_v<Text, const Chars &>, int> = 0>
  Device(const Chars &name) : device_(parse(Text(name).get())) {}
  operator tocha_device() const { return device_; }
  std::string name() const {
    char text[24];
    return tocha_device_text(device_, text);
  }

private:
  static tocha_device parse(const char *name) {
    const std::string text(name ? name : "");
    const size_t colon = text.find(':');
    char *end = nullptr;
    const long index =
        colon == std::string::npos ? -1 : std::strtol(text.c_str() + colon + 1, &end, 10);
    const bool is_index =
        colon == std::string::npos || (end != text.c_str() + colon + 1 && !*end && index >= 0);
    for (int16_t type = TOCHA_CPU; is_index && index < INT16_MAX && type < TOCHA_DEVICE_TYPE_COUNT;
         type++) {
      const tocha_device device = {type, -1};
      if (Device(device).name() == text.substr(0, colon))
        return {type, static_cast<int16_t>(index)};
    }
    throw Error(TOCHA_RUNTIME_ERROR, "Invalid device string: '" + text + "'");
  }

  tocha_device device_;
};

/* A number that keeps its kind: true is bool, 7 is int, 7.0 is float. */
class Scalar {
public:
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Scalar(Number number) {
    if constexpr (std::is_same_v<Number, bool>)
      scalar = tocha_boolean(number);
    else if constexpr (std::is_integral_v<Number>)
      scalar = tocha_int(static_cast<int64_t>(number));
    else
      scalar = tocha_float(static_cast<double>(number));
  }
  Scalar(tocha_scalar value) : scalar(value) {}
  template <class Number> Number to() const {
    return scalar.kind == TOCHA_SCALAR_FLOAT ? static_cast<Number>(scalar.value.real)
                                             : static_cast<Number>(scalar.value.integer);
  }

  tocha_scalar scalar;
};

/* A list of numbers: one number, {2, 3}, or a vector. A list without numbers is the omitted one if the argument may be
 * omitted. The numbers must live as long as the list. */
template <class Element> class List {
public:
  List() = default;
  template <class Number,
            std::enable_if_t<std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool> &&
                                 (std::is_integral_v<Number> || std::is_floating_point_v<Element>),
                             int> = 0>
  List(Number number) : one_(static_cast<Element>(number)), data_(&one_), count_(1) {}
  List(std::initializer_list<Element> list) : List(list.begin(), list.size()) {}
  List(const std::vector<Element> &list) : List(list.data(), list.size()) {}
  List(const Element *data, size_t count) : data_(data), count_(static_cast<int>(count)) {}
  List(const List &) = delete;
  List &operator=(const List &) = delete;

  const Element *data() const { return data_; }
  int count() const { return count_; }
  size_t size() const { return static_cast<size_t>(count_); }
  const Element *begin() const { return data_; }
  const Element *end() const { return data_ + count_; }
  Element operator[](size_t index) const { return data_[index]; }
  std::vector<Element> vector() const { return std::vector<Element>(begin(), end()); }

private:
  Element one_ = 0;
  const Element *data_ = nullptr;
  int count_ = 0;
};
using Ints = List<int64_t>;
using Floats = List<double>;

/* An omitted element of a list: adaptive_avg_pool2d(x, {absent, 7}). */
inline constexpr int64_t absent = TOCHA_ABSENT;

/* The padding of a convolution: numbers, "same" or "valid". */
class Padding : public Ints {
public:
  using Ints::Ints;
  Padding() = default;
  Padding(const char *word) : Ints(number(word)) {}

private:
  static int64_t number(const char *word) {
    if (word && !std::strcmp(word, "same")) return TOCHA_PADDING_SAME;
    if (word && !std::strcmp(word, "valid")) return TOCHA_PADDING_VALID;
    throw Error(TOCHA_RUNTIME_ERROR,
                "Invalid padding string: " + std::string(word ? word : "nullptr"));
  }
};

namespace detail {
/* An optional argument as C takes it: a pointer, nullptr if it is omitted. */
template <class Value> const Value *pointer(const std::optional<Value> &value) {
  return value ? &*value : nullptr;
}
inline const bool *pointer(const bool &value) { return &value; }
inline const tocha_scalar *pointer(const std::optional<Scalar> &value) {
  return value ? &value->scalar : nullptr;
}
} // namespace detail
} // namespace tocha

#endif
