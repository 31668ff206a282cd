/* error.hpp: the exception of this interface, and its way through C.
 *
 * A call that fails throws a tocha::Error with what the context's error said, and clears that. An exception that
 * leaves a C++ function which C has called (a module's forward) becomes the context's error; the first call of this
 * interface that fails because of it throws the very exception again. */
#ifndef TOCHA_CPP_ERROR_HPP
#define TOCHA_CPP_ERROR_HPP

#include <exception>
#include <string>
#include <utility>

#include "tocha/context.h"

namespace tocha {

class Error : public std::exception {
public:
  Error(tocha_error_code code, std::string message, std::string hint = {}, std::string op = {},
        std::string path = {})
      : code_(code == TOCHA_OK ? TOCHA_RUNTIME_ERROR : code), message_(std::move(message)),
        hint_(std::move(hint)), op_(std::move(op)) {
    set_path(std::move(path));
  }

  /* The message, then the path and the hint on lines of their own if there are any. */
  const char *what() const noexcept override { return text_.c_str(); }
  tocha_error_code code() const noexcept { return code_; }
  const std::string &message() const noexcept { return message_; } /* in PyTorch's words */
  const std::string &hint() const noexcept { return hint_; }
  const std::string &op() const noexcept { return op_; }     /* the operator that failed, or "" */
  const std::string &path() const noexcept { return path_; } /* "Net.encoder.3 (Linear)", or "" */

  void set_path(std::string path) {
    path_ = std::move(path);
    text_ = message_;
    if (!path_.empty()) text_ += "\nin " + path_;
    if (!hint_.empty()) text_ += "\nhint: " + hint_;
  }

private:
  tocha_error_code code_;
  std::string message_, hint_, op_, path_, text_;
};

namespace detail {

/* The exception behind a context's error, which is known by its number. */
struct Caught {
  tocha_context *context = nullptr;
  uint64_t number = 0;
  std::exception_ptr exception;
};
inline thread_local Caught caught;

/* Makes the exception that is being handled the context's error. Called in a catch clause of a function that C has
 * called. */
inline void record_exception(tocha_context *context) noexcept {
  try {
    throw;
  } catch (const Error &error) {
    tocha_fail(context, error.code(), "%s", error.message().c_str());
    if (!error.hint().empty()) tocha_hint(context, "%s", error.hint().c_str());
    if (!error.path().empty()) tocha_fail_in(context, error.path().c_str());
  } catch (const std::exception &error) {
    tocha_fail(context, TOCHA_RUNTIME_ERROR, "%s", error.what());
  } catch (...) {
    tocha_fail(context, TOCHA_RUNTIME_ERROR, "an exception that is not a std::exception");
  }
  caught = {context, tocha_error_number(context), std::current_exception()};
}

/* Clears the context's error and throws it. */
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_error(tocha_context *context) {
  const tocha_error_info *info = tocha_error(context);
  Error error(info->code, info->code ? info->message : "a function failed without an error",
              info->hint, info->op, info->path);
  const bool is_caught = caught.context == context && caught.number == tocha_error_number(context);
  const std::exception_ptr exception = is_caught ? caught.exception : nullptr;
  caught = {};
  tocha_clear_error(context);
  if (!exception) throw error;
  try {
    std::rethrow_exception(exception);
  } catch (Error &same) {
    same.set_path(error.path()); /* C has named the modules that it came through */
    throw;
  }
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_undefined() {
  throw Error(TOCHA_TYPE_ERROR, "a tensor was expected, but an empty one was given",
              "a Tensor is empty after Tensor() and after it was moved from");
}

} // namespace detail
} // namespace tocha

#endif
