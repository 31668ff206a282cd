/* rate_functions.c: LambdaLR and MultiplicativeLR, whose rates are functions of the epoch. */
#include "dispatch/required_arguments.h"
#include "optim/schedules.h"

/* Calls the deleters of functions that no scheduler owns. */
static void drop(int count, const tocha_rate_function *functions) {
  for (int i = 0; functions && i < count; i++)
    if (functions[i].deleter) functions[i].deleter(functions[i].user);
}

/* Takes the functions, one for each group or one for all. Fails if their number is another. */
static bool take(tocha_context *cx, tocha_scheduler *s, int count,
                 const tocha_rate_function *functions) {
  int groups = s->optimizer->group_count;
  if (!functions) return tocha_refuse_none(cx, s->class->name, "lr_lambda", "function");
  if (count != 1 && count != groups)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Expected %d lr_lambdas, but got %d", groups, count) !=
           NULL;
  for (int i = 0; i < count; i++)
    if (!functions[i].call) return tocha_refuse_none(cx, s->class->name, "lr_lambda", "function");
  s->functions = tocha_allocate(cx, (uint64_t)count * sizeof *functions);
  if (!s->functions) return false;
  for (int i = 0; i < count; i++) s->functions[i] = functions[i];
  s->function_count = count;
  return true;
}

static tocha_scheduler *create(tocha_context *cx, int class, tocha_optimizer *optimizer, int count,
                               const tocha_rate_function *functions, int64_t last_epoch) {
  tocha_scheduler *s = tocha_scheduler_create(cx, &tocha_scheduler_classes[class], optimizer);
  if (!s || !take(cx, s, count, functions)) {
    drop(count, functions);
    return s ? tocha_scheduler_begun(s, false) : NULL;
  }
  return tocha_scheduler_begun(s, tocha_scheduler_start(cx, s, last_epoch));
}

tocha_scheduler *tocha_optim_lambda_lr(tocha_context *cx, tocha_optimizer *optimizer, int count,
                                       const tocha_rate_function *functions, int64_t last_epoch) {
  return create(cx, TOCHA_CLASS_LAMBDA_LR, optimizer, count, functions, last_epoch);
}

tocha_scheduler *tocha_optim_multiplicative_lr(tocha_context *cx, tocha_optimizer *optimizer,
                                               int count, const tocha_rate_function *functions,
                                               int64_t last_epoch) {
  return create(cx, TOCHA_CLASS_MULTIPLICATIVE_LR, optimizer, count, functions, last_epoch);
}

/* Multiplies each number by the function of its group. */
static bool multiply(tocha_context *cx, tocha_scheduler *s, const double *numbers, double *rates) {
  for (int g = 0; g < s->optimizer->group_count; g++) {
    const tocha_rate_function *f = &s->functions[s->function_count == 1 ? 0 : g];
    double factor = 1;
    if (s->function_count != 1 && g >= s->function_count)
      return tocha_fail(cx, TOCHA_INDEX_ERROR, "list index out of range") != NULL;
    if (!f->call(cx, f->user, s->epoch, &factor))
      return tocha_refuse_silence(cx, "the function of the epoch");
    rates[g] = numbers[g] * factor;
  }
  return true;
}

bool tocha_schedule_rates_lambda(tocha_context *cx, tocha_scheduler *s, double *rates) {
  return multiply(cx, s, s->base.items, rates);
}

bool tocha_schedule_rates_multiplicative(tocha_context *cx, tocha_scheduler *s, double *rates) {
  return s->is_initial || multiply(cx, s, rates, rates);
}
