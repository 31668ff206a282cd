/* scheduler.c: schedulers as objects: creation, steps, values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/required_arguments.h"
#include "optim/schedules.h"

/* --- creation and release -------------------------------------------------------------------------- */

tocha_scheduler *tocha_scheduler_create(tocha_context *cx, const tocha_scheduler_class *class_,
                                        tocha_optimizer *optimizer) {
  if (tocha_failed(cx)) return NULL;
  if (!optimizer) return tocha_fail(cx, TOCHA_TYPE_ERROR, "NoneType is not an Optimizer");
  tocha_scheduler *s = tocha_allocate_zeroed(cx, sizeof *s);
  if (!s) return NULL;
  tocha_refcount_init(&s->references);
  s->context = cx;
  s->class = class_;
  s->optimizer = tocha_optimizer_retain(optimizer);
  for (int i = 0; i < class_->field_count; i++)
    if (class_->fields[i].optional) s->values[i].number.kind = TOCHA_NO_SCALAR;
  tocha_context_retain(cx);
  return s;
}

tocha_scheduler *tocha_scheduler_begun(tocha_scheduler *s, bool ok) {
  if (ok) return s;
  tocha_scheduler_release(s);
  return NULL;
}

tocha_scheduler *tocha_scheduler_retain(tocha_scheduler *scheduler) {
  if (scheduler) tocha_refcount_retain(&scheduler->references);
  return scheduler;
}

static void free_value(tocha_context *cx, tocha_scheduler_value *value) {
  tocha_deallocate(cx, value->items, (uint64_t)value->count * sizeof *value->items);
}

void tocha_scheduler_release(tocha_scheduler *scheduler) {
  tocha_scheduler *s = scheduler;
  if (!s || !tocha_refcount_release(&s->references)) return;
  tocha_context *cx = s->context;
  for (int i = 0; i < s->function_count; i++)
    if (s->functions[i].deleter) s->functions[i].deleter(s->functions[i].user);
  for (int i = 0; i < s->inner_count; i++) tocha_scheduler_release(s->inner[i]);
  for (int i = 0; i < TOCHA_MAX_FIELDS; i++) free_value(cx, &s->values[i]);
  free_value(cx, &s->base);
  free_value(cx, &s->last);
  tocha_deallocate(cx, s->functions, (uint64_t)s->function_count * sizeof *s->functions);
  tocha_deallocate(cx, s->inner, (uint64_t)s->inner_count * sizeof(tocha_scheduler *));
  tocha_optimizer_release(s->optimizer);
  tocha_deallocate(cx, s, sizeof *s);
  tocha_context_release(cx);
}

const char *tocha_scheduler_name(const tocha_scheduler *scheduler) {
  return scheduler ? scheduler->class->name : NULL;
}
tocha_optimizer *tocha_scheduler_optimizer(const tocha_scheduler *scheduler) {
  return scheduler ? scheduler->optimizer : NULL;
}
int64_t tocha_scheduler_last_epoch(const tocha_scheduler *scheduler) {
  return scheduler ? scheduler->epoch : 0;
}
double tocha_scheduler_last_lr(const tocha_scheduler *scheduler, int group) {
  bool there = scheduler && group >= 0 && group < scheduler->last.count;
  return there ? scheduler->last.items[group] : 0;
}

/* --- values ------------------------------------------------------------------------------------------- */

bool tocha_schedule_reserve(tocha_context *cx, tocha_scheduler_value *value, int count) {
  if (value->count == count) return true;
  double *items = count ? tocha_allocate_zeroed(cx, (uint64_t)count * sizeof *items) : NULL;
  if (count && !items) return false;
  int kept = value->count < count ? value->count : count;
  if (kept && value->items) memcpy(items, value->items, (size_t)kept * sizeof *items);
  free_value(cx, value);
  value->items = items;
  value->count = count;
  return true;
}

static int by_size(const void *a, const void *b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

bool tocha_schedule_set_counts(tocha_context *cx, tocha_scheduler *s, int field, int count,
                               const int64_t *items) {
  tocha_scheduler_value *value = &s->values[field];
  if (count && !items) return tocha_refuse_none(cx, s->class->name, "milestones", "list");
  if (count < 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "%s got %d milestones", s->class->name, count) != NULL;
  if (!tocha_schedule_reserve(cx, value, count)) return false;
  for (int i = 0; i < count; i++) value->items[i] = (double)items[i];
  if (count) qsort(value->items, (size_t)count, sizeof *value->items, by_size);
  return true;
}

bool tocha_schedule_choose(tocha_scheduler *s, int field, const char *text) {
  const char *const *choices = s->class->fields[field].choices;
  for (int i = 0; text && choices[i]; i++) {
    if (strcmp(choices[i], text) != 0) continue;
    s->values[field].number = tocha_int(i);
    return true;
  }
  return false;
}

double tocha_schedule_modulo(double a, double b) {
  double rest = fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double tocha_schedule_occurrences(const tocha_scheduler_value *items, double x) {
  int count = 0;
  for (int i = 0; i < items->count; i++) count += items->items[i] == x;
  return count;
}

double tocha_schedule_passed(const tocha_scheduler_value *items, double x) {
  int count = 0;
  for (int i = 0; i < items->count; i++) count += items->items[i] <= x;
  return count;
}

/* --- rates -------------------------------------------------------------------------------------------- */

/* Reads a number of every group. */
static bool read_groups(tocha_context *cx, const tocha_optimizer *o, const char *name,
                        tocha_scheduler_value *value) {
  if (!tocha_schedule_reserve(cx, value, o->group_count)) return false;
  for (int g = 0; g < o->group_count; g++) {
    tocha_scalar number;
    if (!tocha_optimizer_number(cx, o, g, name, &number)) return false;
    value->items[g] = tocha_scalar_real(number);
  }
  return true;
}

bool tocha_scheduler_read_rates(tocha_context *cx, tocha_scheduler *s) {
  return read_groups(cx, s->optimizer, "lr", &s->last);
}

/* Sets the rates of the groups. A rate that does not change keeps its kind. */
static bool set_rates(tocha_context *cx, tocha_scheduler *s, const tocha_scheduler_value *rates) {
  for (int g = 0; rates->items && g < rates->count; g++)
    if (rates->items[g] != s->last.items[g] &&
        !tocha_optimizer_set_number(cx, s->optimizer, g, "lr", tocha_float(rates->items[g])))
      return false;
  return tocha_scheduler_read_rates(cx, s);
}

bool tocha_scheduler_apply(tocha_context *cx, tocha_scheduler *s, bool closed) {
  const tocha_scheduler_class *class = s->class;
  int groups = s->optimizer->group_count;
  closed = closed && class->closed;
  if ((closed || class->reads_base || class->rates) && s->base.count != groups)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "zip() argument 2 is %s than argument 1",
                      s->base.count < groups ? "shorter" : "longer") != NULL;
  if (!tocha_scheduler_read_rates(cx, s)) return false;
  tocha_scheduler_value rates = {.items = NULL};
  bool ok = tocha_schedule_reserve(cx, &rates, groups);
  if (ok && rates.items) memcpy(rates.items, s->last.items, (size_t)groups * sizeof *rates.items);
  if (ok && !closed && class->rates) {
    ok = class->rates(cx, s, rates.items);
  } else {
    for (int g = 0; ok && rates.items && g < groups; g++)
      rates.items[g] = (closed ? class->closed : class->rate)(
          s, rates.items[g], g < s->base.count ? s->base.items[g] : 0);
  }
  ok = ok && set_rates(cx, s, &rates);
  free_value(cx, &rates);
  return ok;
}

bool tocha_scheduler_update(tocha_context *cx, tocha_scheduler *s, const double *epoch) {
  s->epoch = epoch ? (int64_t)*epoch : s->epoch + 1;
  return tocha_scheduler_apply(cx, s, epoch != NULL);
}

/* --- steps -------------------------------------------------------------------------------------------- */

void tocha_scheduler_warn_epoch(tocha_context *cx) {
  tocha_warn(
      cx,
      "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
      "possible. Please use `scheduler.step()` to step the scheduler. During the deprecation, if "
      "epoch is different from None, the closed form is used instead of the new chainable form, "
      "where available. Please open an issue if you are unable to replicate your use case: "
      "https://github.com/pytorch/pytorch/issues/new/choose.");
}

static bool step(tocha_context *cx, tocha_scheduler *s, const double *epoch) {
  if (s->class->step) return s->class->step(cx, s, epoch);
  if (s->steps == 1 && !s->optimizer->stepped)
    tocha_warn(
        cx,
        "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
        "later, you should call them in the opposite order: `optimizer.step()` before "
        "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first "
        "value of the learning rate schedule. See more details at "
        "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate");
  s->steps++;
  if (epoch) tocha_scheduler_warn_epoch(cx);
  return tocha_scheduler_update(cx, s, epoch);
}

bool tocha_scheduler_initial_step(tocha_context *cx, tocha_scheduler *s) {
  s->steps = 0;
  s->is_initial = true;
  bool ok = step(cx, s, NULL);
  s->is_initial = false;
  return ok;
}

/* Notes the first rate of every group that has none. */
static bool note_initial(tocha_context *cx, tocha_optimizer *o) {
  for (int g = 0; g < o->group_count; g++) {
    tocha_scalar lr;
    if (!tocha_optimizer_has_field(o, g, "initial_lr") &&
        (!tocha_optimizer_number(cx, o, g, "lr", &lr) ||
         !tocha_optimizer_set_number(cx, o, g, "initial_lr", lr)))
      return false;
  }
  return true;
}

/* Fails if a group has no first rate. */
static bool check_initial(tocha_context *cx, const tocha_optimizer *o) {
  for (int g = 0; g < o->group_count; g++) {
    if (tocha_optimizer_has_field(o, g, "initial_lr")) continue;
    tocha_fail(
        cx, TOCHA_KEY_ERROR,
        "param 'initial_lr' is not specified in param_groups[%d] when resuming scheduler with "
        "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from "
        "a checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch "
        ">= 0 for a fresh training run (not recommended)",
        g);
    return false;
  }
  return true;
}

bool tocha_scheduler_start(tocha_context *cx, tocha_scheduler *s, int64_t last_epoch) {
  tocha_optimizer *o = s->optimizer;
  bool ok = last_epoch == -1 ? note_initial(cx, o) : check_initial(cx, o);
  if (!ok || !read_groups(cx, o, "initial_lr", &s->base)) return false;
  s->epoch = last_epoch;
  o->is_scheduled = true;
  return tocha_scheduler_initial_step(cx, s);
}

bool tocha_scheduler_step(tocha_context *cx, tocha_scheduler *scheduler) {
  if (!scheduler) return tocha_refuse_none(cx, "scheduler_step", "scheduler", "LRScheduler");
  return !tocha_failed(cx) && step(cx, scheduler, NULL);
}

bool tocha_scheduler_step_epoch(tocha_context *cx, tocha_scheduler *scheduler, double epoch) {
  if (!scheduler) return tocha_refuse_none(cx, "scheduler_step_epoch", "scheduler", "LRScheduler");
  if (tocha_failed(cx)) return false;
  if (!(fabs(epoch) < 0x1p53))
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "%s.step() got an epoch of %g", scheduler->class->name,
                      epoch) != NULL;
  return step(cx, scheduler, &epoch);
}

bool tocha_scheduler_step_metric(tocha_context *cx, tocha_scheduler *scheduler, double metric) {
  if (!scheduler) return tocha_refuse_none(cx, "scheduler_step_metric", "scheduler", "LRScheduler");
  if (tocha_failed(cx)) return false;
  if (scheduler->class->metric) return scheduler->class->metric(cx, scheduler, metric);
  tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.step() takes no metrics", scheduler->class->name);
  tocha_hint(cx, "only ReduceLROnPlateau does; the others are stepped by tocha_scheduler_step");
  return false;
}
