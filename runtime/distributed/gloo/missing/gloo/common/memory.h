/* memory.h: stands for a header of Gloo 0.5 that Debian's libgloo-dev leaves out although others of its headers include it.
 * A compiler searches this folder last.
 *
 * Gloo's thread may reach a buffer through a weak reference while the owner destroys it: the destructor of
 * the shareable one waits until nobody has it in hand. The layouts are those of the library. */
#ifndef TOCHA_GLOO_MEMORY_H
#define TOCHA_GLOO_MEMORY_H

#include <memory>
#include <thread>

namespace gloo {

template <typename T> class NonOwningPtr;
template <typename T> class ShareableNonOwningPtr;

template <typename T> class WeakNonOwningPtr final {
public:
  WeakNonOwningPtr() = default;
  explicit WeakNonOwningPtr(const ShareableNonOwningPtr<T> &from) : ptr_(from.ptr_) {}
  /* Returns true if it refers to an object, which may be gone. */
  explicit operator bool() const noexcept {
    const std::weak_ptr<T> none;
    return none.owner_before(ptr_) || ptr_.owner_before(none);
  }

private:
  friend class NonOwningPtr<T>;
  std::weak_ptr<T> ptr_;
};

template <typename T> class NonOwningPtr final {
public:
  NonOwningPtr() = default;
  explicit NonOwningPtr(const WeakNonOwningPtr<T> &from) : ptr_(from.ptr_.lock()) {}
  explicit operator bool() const noexcept { return ptr_ != nullptr; }
  T *operator->() const noexcept { return ptr_.get(); }

private:
  std::shared_ptr<T> ptr_;
};

template <typename T> class ShareableNonOwningPtr final {
public:
  explicit ShareableNonOwningPtr(T *object) : ptr_(object, [](T *) {}) {}
  ShareableNonOwningPtr(const ShareableNonOwningPtr &) = delete;
  ShareableNonOwningPtr &operator=(const ShareableNonOwningPtr &) = delete;
  ~ShareableNonOwningPtr() {
    std::weak_ptr<T> watch = ptr_;
    for (ptr_.reset(); !watch.expired();) std::this_thread::yield();
  }

private:
  friend class WeakNonOwningPtr<T>;
  std::shared_ptr<T> ptr_;
};

} // namespace gloo

#endif
