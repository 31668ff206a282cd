/* tensor.hpp: Tensor, an owner of a tensor, and what calls of C have in common. */
#ifndef TOCHA_CPP_TENSOR_HPP
#define TOCHA_CPP_TENSOR_HPP

#include <iosfwd>
#include <tuple>

#include "tocha/cpp/arguments.hpp"
#include "tocha/ops.h"

namespace tocha {

namespace detail {

/* A call of a C function. It takes the results out of the scope at once, and releases whatever else the call has left
 * there. A result that says that the call has failed throws. */
class Call {
public:
  explicit Call(tocha_context *context) : context_(context) {
    if (!context) throw_undefined();
    scope_ = tocha_scope_begin(context);
  }
  tocha_context *context() const { return context_; }
  Tensor tensor(tocha_tensor *result) const;
  template <class Tuple, size_t Count>
  Tuple tensors(bool ok, tocha_tensor *(&results)[Count]) const;
  std::vector<Tensor> list(bool ok, tocha_tensors &results) const;
  bool value(bool ok, const bool &result) const {
    done(ok);
    return result;
  }
  void done(bool ok) const {
    tocha_scope_end(context_, scope_, nullptr);
    if (!ok) throw_error(context_);
  }

private:
  tocha_context *context_;
  tocha_scope scope_;
};

/* Returns a copy of a text that C gave to its caller. */
inline std::string take_text(tocha_context *context, char *text) {
  if (!text) throw_error(context);
  std::string copy(text);
  tocha_free(text);
  return copy;
}

} // namespace detail

/* An owner of a tensor. A copy is another owner of the same tensor, as an assignment in Python; clone() copies values.
 * An empty Tensor stands for an omitted argument. The methods that are operators are those of PyTorch, with its
 * positional order; arguments that are keywords there follow. */
class Tensor {
public:
  Tensor() : context_(nullptr), tensor_(nullptr) {}
  Tensor(const Tensor &other) : context_(other.context_), tensor_(other.tensor_) {
    if (tensor_) tocha_retain(tensor_);
  }
  Tensor(Tensor &&other) noexcept : context_(other.context_), tensor_(other.tensor_) {
    other.forget();
  }
  Tensor &operator=(const Tensor &other) { return *this = Tensor(other); }
  Tensor &operator=(Tensor &&other) noexcept {
    if (this == &other) return *this;
    if (tensor_) tocha_release(tensor_);
    context_ = other.context_;
    tensor_ = other.tensor_;
    other.forget();
    return *this;
  }
  ~Tensor() {
    if (tensor_) tocha_release(tensor_);
  }

  /* Return an owner of a tensor of C: one more (of a borrowed tensor, or one of a scope), or the caller's own. */
  static Tensor share(tocha_context *context, tocha_tensor *tensor) {
    return adopt(context, tensor ? tocha_retain(tensor) : nullptr);
  }
  static Tensor adopt(tocha_context *context, tocha_tensor *tensor) {
    Tensor owner;
    if (tensor) owner.context_ = context;
    owner.tensor_ = tensor;
    return owner;
  }
  /* Returns the tensor; the caller has its reference from now on. */
  tocha_tensor *release() {
    tocha_tensor *tensor = tensor_;
    forget();
    return tensor;
  }
  tocha_tensor *get() const { return tensor_; }
  tocha_context *context() const { return context_; } /* nullptr if empty */
  bool defined() const { return tensor_; }
  bool is(const Tensor &other) const { return tensor_ == other.tensor_; } /* the same tensor */

  int64_t dim() const { return tocha_ndim(tensor_); }
  int64_t numel() const { return tocha_numel(tensor_); }
  Ints sizes() const { return Ints(tocha_sizes(tensor_), static_cast<size_t>(dim())); }
  Ints strides() const { return Ints(tocha_strides(tensor_), static_cast<size_t>(dim())); }
  int64_t size(int64_t dimension) const { return sizes()[wrap(dimension)]; }
  int64_t stride(int64_t dimension) const { return strides()[wrap(dimension)]; }
  DType dtype() const { return tocha_dtype_of(tensor_); }
  Device device() const { return tocha_device_of(tensor_); }
  bool is_contiguous() const { return tocha_is_contiguous(tensor_); }
  std::string to_string() const {
    return detail::take_text(checked(), tocha_to_string(context_, tensor_));
  }

  /* Returns the only element. */
  template <class Number = double> Number item() const {
    tocha_scalar value;
    if (!tocha_item(checked(), tensor_, &value)) detail::throw_error(context_);
    return Scalar(value).to<Number>();
  }
  /* Returns the first element in memory. Throws if the elements are of another type. */
  template <class Element> Element *data() const {
    if (dtype_of<Element>() != dtype())
      throw Error(TOCHA_TYPE_ERROR,
                  std::string("the elements are of another type: ") + dtype().name());
    return static_cast<Element *>(tocha_data(tensor_));
  }
  void *data_ptr() const { return tocha_data(tensor_); }

  /* Returns x[...]: x[0], x[{0, Slice(1, 3)}], x[{Ellipsis(), std::nullopt, mask}], or the text x[":, 1:"]. */
  Tensor operator[](const Subscript &subscript) const;
  /* Assigns x[...] = value. */
  void assign(const Subscript &subscript, const Operand &value) const;

  bool requires_grad() const { return tocha_requires_grad(tensor_); }
  const Tensor &requires_grad_(bool requires_grad = true) const {
    if (!tocha_set_requires_grad(checked(), tensor_, requires_grad)) detail::throw_error(context_);
    return *this;
  }
  bool is_leaf() const { return tocha_is_leaf(tensor_); }
  Tensor grad() const { return share(context_, tocha_grad(tensor_)); } /* empty if there is none */
  void set_grad(const Tensor &grad) const {
    detail::Call(context_).done(tocha_set_grad(context_, tensor_, grad.get()));
  }
  void backward(const Tensor &gradient = {}, bool retain_graph = false,
                bool create_graph = false) const {
    const detail::Call call(context_);
    call.done(tocha_backward(context_, tensor_, gradient.get(), retain_graph || create_graph,
                             create_graph));
  }

#include "tocha/cpp/methods.hpp"

private:
  void forget() noexcept {
    context_ = nullptr;
    tensor_ = nullptr;
  }
  tocha_context *checked() const {
    if (!context_) detail::throw_undefined();
    return context_;
  }
  size_t wrap(int64_t dimension) const {
    if (!tocha_wrap_dim(checked(), &dimension, tocha_ndim(tensor_))) detail::throw_error(context_);
    return static_cast<size_t>(dimension);
  }

  tocha_context *context_;
  tocha_tensor *tensor_;
};

inline Operand::Operand(const Tensor &tensor)
    : operand(tocha_operand_of(tensor.get())), context_(tensor.context()) {}
inline TensorRef::TensorRef(const Tensor &owner) : context(owner.context()), tensor(owner.get()) {}
inline Index::Index(const Tensor &tensor) : item() {
  item.kind = TOCHA_SUBSCRIPT_TENSOR;
  item.tensor = tensor.get();
}

template <class Item> void TensorList::fill(const Item *items, size_t count) {
  count_ = static_cast<int>(count);
  if (count > FEW) many_.resize(count);
  tocha_tensor **tensors = count > FEW ? many_.data() : few_;
  for (size_t i = 0; i < count; i++) {
    const TensorRef ref(items[i]);
    tensors[i] = ref.tensor;
    if (!context_) context_ = ref.context;
  }
}
inline TensorList::TensorList(const std::vector<Tensor> &list) { fill(list.data(), list.size()); }

namespace detail {

inline Tensor Call::tensor(tocha_tensor *result) const {
  tocha_scope_take(context_, scope_, result);
  if (!result) throw_error(context_);
  return Tensor::adopt(context_, result);
}

template <class Tuple, size_t Count, size_t... I>
Tuple tuple_of(tocha_context *context, tocha_tensor *(&results)[Count], std::index_sequence<I...>) {
  return Tuple(Tensor::share(context, results[I])...);
}
template <class Tuple, size_t Count>
Tuple Call::tensors(bool ok, tocha_tensor *(&results)[Count]) const {
  Tuple tuple = tuple_of<Tuple>(context_, results, std::make_index_sequence<Count>());
  done(ok);
  return tuple;
}

inline std::vector<Tensor> Call::list(bool ok, tocha_tensors &results) const {
  std::vector<Tensor> list;
  list.reserve(static_cast<size_t>(results.count));
  for (int i = 0; i < results.count; i++) list.push_back(Tensor::share(context_, results.items[i]));
  tocha_tensors_free(context_, &results);
  done(ok);
  return list;
}

/* Calls `use` with the items of a subscript. */
template <class Use> auto with_items(const Call &call, const Subscript &subscript, Use use) {
  if (!subscript.text()) return use(subscript.count(), subscript.items());
  tocha_subscript_item items[TOCHA_MAX_DIMS];
  int count = 0;
  if (!tocha_subscript_parse(call.context(), subscript.text(), items, TOCHA_MAX_DIMS, &count))
    throw_error(call.context());
  return use(count, items);
}

} // namespace detail

inline Tensor Tensor::operator[](const Subscript &subscript) const {
  const detail::Call call(context_);
  return call.tensor(
      detail::with_items(call, subscript, [&](int count, const tocha_subscript_item *items) {
        return tocha_subscript_get(context_, tensor_, count, items);
      }));
}

inline void Tensor::assign(const Subscript &subscript, const Operand &value) const {
  const detail::Call call(context_);
  call.done(detail::with_items(call, subscript, [&](int count, const tocha_subscript_item *items) {
    return tocha_subscript_set(context_, tensor_, count, items, value.operand);
  }));
}

template <class Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &out,
                                             const Tensor &tensor) {
  return out << tensor.to_string().c_str();
}

} // namespace tocha

#endif
