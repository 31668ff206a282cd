/* arguments.hpp: arguments that are made of tensors: a tensor or a number, a list of tensors, a subscript. They borrow
 * the tensors for the duration of a call. */
#ifndef TOCHA_CPP_ARGUMENTS_HPP
#define TOCHA_CPP_ARGUMENTS_HPP

#include "tocha/cpp/generator.hpp"
#include "tocha/subscript.h"

namespace tocha {

class Tensor;

/* A tensor or a number. */
class Operand {
public:
  Operand(const Tensor &tensor);
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Operand(Number number) : Operand(Scalar(number)) {}
  Operand(Scalar number) : operand(tocha_number(number.scalar)) {}
  tocha_context *context() const { return context_; } /* a tensor's, or nullptr */

  tocha_operand operand;

private:
  tocha_context *context_ = nullptr;
};

/* An element of TensorList. */
struct TensorRef {
  TensorRef(const Tensor &tensor);
  tocha_context *context;
  tocha_tensor *tensor;
};

/* A list of tensors: {x, y}, a vector, or one tensor. */
class TensorList {
public:
  TensorList() = default;
  TensorList(std::initializer_list<TensorRef> list) { fill(list.begin(), list.size()); }
  TensorList(const std::vector<Tensor> &list);
  TensorList(const Tensor &tensor) : TensorList({TensorRef(tensor)}) {}
  TensorList(const TensorList &) = delete;
  TensorList &operator=(const TensorList &) = delete;

  tocha_tensor *const *data() const {
    return count_ > FEW ? many_.data() : count_ ? few_ : nullptr; /* nullptr: omitted */
  }
  int count() const { return count_; }
  tocha_context *context() const { return context_; } /* that of the first tensor, or nullptr */

private:
  template <class Item> void fill(const Item *items, size_t count);

  enum { FEW = 8 }; /* more need memory of their own */
  tocha_tensor *few_[FEW];
  std::vector<tocha_tensor *> many_;
  int count_ = 0;
  tocha_context *context_ = nullptr;
};

/* A slice of a subscript: Slice(1, 3), Slice(1), Slice({}, {}, 2). */
struct Slice {
  explicit Slice(std::optional<int64_t> first = {}, std::optional<int64_t> end = {}, int64_t by = 1)
      : start(first), stop(end), step(by) {}
  std::optional<int64_t> start, stop;
  int64_t step;
};
struct Ellipsis {};

/* One item of a subscript: a position, a slice, Ellipsis(), std::nullopt for a new dimension, true or false, or a tensor
 * of positions or a mask. */
class Index {
public:
  template <class Number, std::enable_if_t<std::is_integral_v<Number>, int> = 0>
  Index(Number number) : item() {
    item.kind = std::is_same_v<Number, bool> ? TOCHA_SUBSCRIPT_BOOL : TOCHA_SUBSCRIPT_INDEX;
    item.start = static_cast<int64_t>(number);
    item.flag = number != 0;
  }
  Index(const Slice &slice) : item() {
    item.kind = TOCHA_SUBSCRIPT_SLICE;
    item.has_start = slice.start.has_value();
    item.has_stop = slice.stop.has_value();
    item.start = slice.start.value_or(0);
    item.stop = slice.stop.value_or(0);
    item.step = slice.step;
  }
  Index(Ellipsis) : item() { item.kind = TOCHA_SUBSCRIPT_ELLIPSIS; }
  Index(std::nullopt_t) : item() { item.kind = TOCHA_SUBSCRIPT_NONE; }
  Index(const Tensor &tensor);

  tocha_subscript_item item;
};

/* A subscript, between brackets: one item, {0, Slice(1)}, or a text as in Python, ":, 1:". */
class Subscript {
public:
  template <class Item, std::enable_if_t<std::is_convertible_v<const Item &, Index>, int> = 0>
  Subscript(const Item &one) : one_(one), items_(&one_.item), count_(1) {}
  Subscript(std::initializer_list<Index> list)
      : one_(0), items_(list.size() ? &list.begin()->item : nullptr),
        count_(static_cast<int>(list.size())) {
    static_assert(sizeof(Index) == sizeof(tocha_subscript_item),
                  "a list of the one is an array of the other");
  }
  Subscript(const char *text) : one_(0), text_(text) {}
  Subscript(const Subscript &) = delete;
  Subscript &operator=(const Subscript &) = delete;

  const char *text() const { return text_; } /* nullptr: see items */
  const tocha_subscript_item *items() const { return items_; }
  int count() const { return count_; }

private:
  Index one_;
  const tocha_subscript_item *items_ = nullptr;
  int count_ = 0;
  const char *text_ = nullptr;
};

} // namespace tocha

#endif
