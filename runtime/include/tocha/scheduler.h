/* scheduler.h: learning-rate schedulers, which set the rates of an optimizer's groups.
 *
 * <tocha/schedulers.h> has the constructors (tocha_optim_step_lr, ...); those that take functions or other
 * schedulers are here. The creator of a scheduler owns one reference; the scheduler owns one to its optimizer.
 * Names, checks, warnings and digits are PyTorch's. A rate that is a tensor is filled with a number that was
 * computed in float64; PyTorch computes it in the tensor's dtype. */
#ifndef TOCHA_SCHEDULER_H
#define TOCHA_SCHEDULER_H

#include "tocha/optim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_scheduler tocha_scheduler;

TOCHA_API tocha_scheduler *tocha_scheduler_retain(tocha_scheduler *scheduler);
TOCHA_API void tocha_scheduler_release(tocha_scheduler *scheduler); /* NULL is allowed */
/* Returns the name of the class: "StepLR". */
TOCHA_API const char *tocha_scheduler_name(const tocha_scheduler *scheduler);
TOCHA_API tocha_optimizer *tocha_scheduler_optimizer(const tocha_scheduler *scheduler);

/* Sets the rates of the next epoch. Call it after the optimizer's step. */
TOCHA_API bool tocha_scheduler_step(tocha_context *cx, tocha_scheduler *scheduler);
/* Sets the rates of a given epoch; CosineAnnealingWarmRestarts takes fractions, too. For other classes PyTorch
 * advises against it. */
TOCHA_API bool tocha_scheduler_step_epoch(tocha_context *cx, tocha_scheduler *scheduler,
                                          double epoch);
/* Makes a step of ReduceLROnPlateau, for the number that should improve. */
TOCHA_API bool tocha_scheduler_step_metric(tocha_context *cx, tocha_scheduler *scheduler,
                                           double metric);
TOCHA_API int64_t tocha_scheduler_last_epoch(const tocha_scheduler *scheduler);
/* Returns the rate of a group that the last step set, or 0 if there is no such group. */
TOCHA_API double tocha_scheduler_last_lr(const tocha_scheduler *scheduler, int group);

/* --- schedulers of functions and of schedulers -------------------------------------------------- */

/* A function of the epoch. `call` writes the factor, or returns false with an error. `deleter` (NULL: none) is
 * called once with `user`: when the scheduler is freed, or when its constructor fails. */
typedef struct tocha_rate_function {
  bool (*call)(tocha_context *cx, void *user, int64_t epoch, double *factor);
  void *user;
  void (*deleter)(void *user);
} tocha_rate_function;

/* The rate is the first rate times a function of the epoch (LambdaLR), or each step multiplies it by one
 * (MultiplicativeLR). functions: one for each group, or one for all. last_epoch: -1, or that of an interrupted
 * training whose optimizer's state has been loaded. */
TOCHA_API tocha_scheduler *tocha_optim_lambda_lr(tocha_context *cx, tocha_optimizer *optimizer,
                                                 int count, const tocha_rate_function *functions,
                                                 int64_t last_epoch);
TOCHA_API tocha_scheduler *tocha_optim_multiplicative_lr(tocha_context *cx,
                                                         tocha_optimizer *optimizer, int count,
                                                         const tocha_rate_function *functions,
                                                         int64_t last_epoch);
/* Runs one scheduler after the other. milestones: the epochs at which the second and later ones begin,
 * count - 1 of them. The result owns references to the schedulers. */
TOCHA_API tocha_scheduler *tocha_optim_sequential_lr(tocha_context *cx, tocha_optimizer *optimizer,
                                                     int count, tocha_scheduler *const *schedulers,
                                                     const int64_t *milestones);
/* Makes the steps of several schedulers of one optimizer. */
TOCHA_API tocha_scheduler *tocha_optim_chained_scheduler(tocha_context *cx, int count,
                                                         tocha_scheduler *const *schedulers);

#ifdef __cplusplus
}
#endif
#endif
