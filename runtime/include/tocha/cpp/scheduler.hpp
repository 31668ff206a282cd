/* scheduler.hpp: owners of learning-rate schedulers, and those that take functions or other schedulers. The others are
 * in <tocha/cpp/optimizers.hpp>. */
#ifndef TOCHA_CPP_SCHEDULER_HPP
#define TOCHA_CPP_SCHEDULER_HPP

#include "tocha/cpp/optimizer.hpp"
#include "tocha/schedulers.h"

namespace tocha {

/* Sets the learning rates of an optimizer, and keeps it. */
class Scheduler {
public:
  /* Takes the caller's reference; throws the context's error if `scheduler` is nullptr. */
  Scheduler(tocha_context *context, tocha_scheduler *scheduler)
      : context_(context), scheduler_(scheduler) {
    done(scheduler);
  }
  Scheduler(Scheduler &&other) noexcept
      : context_(other.context_), scheduler_(std::exchange(other.scheduler_, nullptr)) {}
  Scheduler &operator=(Scheduler &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(scheduler_, other.scheduler_);
    return *this;
  }
  ~Scheduler() { tocha_scheduler_release(scheduler_); }
  tocha_scheduler *get() const { return scheduler_; }
  tocha_context *context() const { return context_; }

  /* Sets the rates of the next epoch, after the optimizer's step; metric: the number that ReduceLROnPlateau watches. */
  void step() { done(tocha_scheduler_step(context_, scheduler_)); }
  void step(double metric) { done(tocha_scheduler_step_metric(context_, scheduler_, metric)); }
  int64_t last_epoch() const { return tocha_scheduler_last_epoch(scheduler_); }
  double last_lr(int group = 0) const { return tocha_scheduler_last_lr(scheduler_, group); }

private:
  void done(bool ok) const {
    if (!ok) detail::throw_error(context_);
  }

  tocha_context *context_;
  tocha_scheduler *scheduler_;
};

/* A scheduler of a list, {a, b}. */
struct SchedulerRef {
  SchedulerRef(const Scheduler &owner) : context(owner.context()), scheduler(owner.get()) {}
  tocha_context *context;
  tocha_scheduler *scheduler;
};

namespace detail {

/* Returns a function of the epoch for C, with a copy of `function` that C deletes. */
template <class Function> tocha_rate_function rate_function(Function function) {
  tocha_rate_function rate;
  rate.user = new Function(std::move(function));
  rate.call = [](tocha_context *context, void *user, int64_t epoch, double *factor) {
    try {
      *factor = (*static_cast<Function *>(user))(epoch);
      return true;
    } catch (...) {
      record_exception(context);
      return false;
    }
  };
  rate.deleter = [](void *user) { delete static_cast<Function *>(user); };
  return rate;
}

inline std::vector<tocha_scheduler *> pointers(std::initializer_list<SchedulerRef> schedulers) {
  std::vector<tocha_scheduler *> list;
  for (const SchedulerRef &ref : schedulers) list.push_back(ref.scheduler);
  return list;
}

inline tocha_floats floats(const Floats &list) {
  tocha_floats copy = {list.count(), {0}};
  if (list.count() > TOCHA_MAX_OPTION_LENGTH)
    throw Error(TOCHA_VALUE_ERROR, "a scheduler takes at most 8 numbers, one for each group");
  for (int i = 0; i < list.count(); i++) copy.items[i] = list.data()[i];
  return copy;
}

} // namespace detail

namespace optim {

/* The rate is the first one times function(epoch), or each step multiplies it by that. The function is copied. */
template <class Function>
Scheduler LambdaLR(Optimizer &optimizer, Function function, int64_t last_epoch = -1) {
  const tocha_rate_function rate = detail::rate_function(std::move(function));
  return Scheduler(optimizer.context(), tocha_optim_lambda_lr(optimizer.context(), optimizer.get(),
                                                              1, &rate, last_epoch));
}
template <class Function>
Scheduler MultiplicativeLR(Optimizer &optimizer, Function function, int64_t last_epoch = -1) {
  const tocha_rate_function rate = detail::rate_function(std::move(function));
  return Scheduler(
      optimizer.context(),
      tocha_optim_multiplicative_lr(optimizer.context(), optimizer.get(), 1, &rate, last_epoch));
}

/* Runs one scheduler after the other; milestones: the epochs at which the second and later ones begin. */
inline Scheduler SequentialLR(Optimizer &optimizer, std::initializer_list<SchedulerRef> schedulers,
                              const Ints &milestones) {
  const auto list = detail::pointers(schedulers);
  if (milestones.size() + 1 != list.size())
    throw Error(
        TOCHA_VALUE_ERROR,
        "Sequential Schedulers expects number of schedulers provided to be one more than the "
        "number of milestone points, but got number of schedulers " +
            std::to_string(list.size()) + " and the number of milestones to be equal to " +
            std::to_string(milestones.size()));
  return Scheduler(optimizer.context(),
                   tocha_optim_sequential_lr(optimizer.context(), optimizer.get(),
                                             static_cast<int>(list.size()), list.data(),
                                             milestones.data()));
}

/* Makes the steps of several schedulers of one optimizer. */
inline Scheduler ChainedScheduler(std::initializer_list<SchedulerRef> schedulers) {
  const auto list = detail::pointers(schedulers);
  if (list.empty())
    throw Error(TOCHA_VALUE_ERROR, "ChainedScheduler expects at least one scheduler to be chained");
  tocha_context *context = schedulers.begin()->context;
  return Scheduler(
      context, tocha_optim_chained_scheduler(context, static_cast<int>(list.size()), list.data()));
}

} // namespace optim
} // namespace tocha

#endif
