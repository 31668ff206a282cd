/* joined.c: schedulers that are made of others: SequentialLR and ChainedScheduler. */
#include <string.h>

#include "core/text.h"
#include "dispatch/required_arguments.h"
#include "optim/schedules.h"
#include "tocha/context.h"

/* Fails if a scheduler is missing, or of another optimizer, or if it needs a metric. */
static bool check(tocha_context *cx, const tocha_scheduler_class *class,
                  const tocha_optimizer *optimizer, int count, tocha_scheduler *const *schedulers) {
  for (int i = 0; i < count; i++) {
    const tocha_scheduler *s = schedulers[i];
    if (!s)
      return tocha_fail(cx, TOCHA_TYPE_ERROR,
                        "%s at index %d should have `optimizer` as its attribute.", class->name,
                        i) != NULL;
    if (s->class->metric)
      return tocha_fail(cx, TOCHA_VALUE_ERROR,
                        "%s does not support `%s` scheduler as it requires additional kwargs to be "
                        "specified when calling `step`, but got one at index %d in the given "
                        "schedulers sequence.",
                        class->name, s->class->name, i) != NULL;
    if (s->optimizer != optimizer)
      return tocha_fail(cx, TOCHA_VALUE_ERROR,
                        "%s expects all schedulers to belong to the same optimizer, but got "
                        "scheduler %s at index %d has another %s, which is different from %s.",
                        class->name, s->class->name, i, s->optimizer->class->name,
                        optimizer->class->name) != NULL;
  }
  return true;
}

static tocha_scheduler *create(tocha_context *cx, const tocha_scheduler_class *class,
                               tocha_optimizer *optimizer, int count,
                               tocha_scheduler *const *schedulers) {
  if (!check(cx, class, optimizer, count, schedulers)) return NULL;
  tocha_scheduler *s = tocha_scheduler_create(cx, class, optimizer);
  if (!s) return NULL;
  s->inner = tocha_allocate(cx, (uint64_t)count * sizeof(tocha_scheduler *));
  if (!s->inner) return tocha_scheduler_begun(s, false);
  s->inner_count = count;
  for (int i = 0; i < count; i++) s->inner[i] = tocha_scheduler_retain(schedulers[i]);
  return s;
}

/* Takes over the rates that an inner scheduler has set. */
static bool follow(tocha_context *cx, tocha_scheduler *s, const tocha_scheduler *inner) {
  if (!tocha_schedule_reserve(cx, &s->last, inner->last.count)) return false;
  if (s->last.count)
    memcpy(s->last.items, inner->last.items, (size_t)s->last.count * sizeof *s->last.items);
  return true;
}

/* --- SequentialLR ----------------------------------------------------------------------------------- */

/* Returns the number of the scheduler that is responsible for an epoch. */
static int place(const tocha_scheduler *s, int64_t epoch) {
  const tocha_scheduler_value *milestones = &s->values[SEQUENTIAL_LR_MILESTONES];
  int i = 0;
  while (i < milestones->count && i < s->inner_count - 1 && milestones->items[i] <= (double)epoch)
    i++;
  return i;
}

/* Reverts the step that every scheduler has made in its constructor. */
static void undo(tocha_scheduler *s) {
  if (!s->inner_count) s->epoch--;
  for (int i = 0; i < s->inner_count; i++) undo(s->inner[i]);
}

static bool begin_sequential(tocha_context *cx, tocha_scheduler *s, const int64_t *milestones) {
  tocha_scheduler_value *own = &s->values[SEQUENTIAL_LR_MILESTONES];
  if (!tocha_schedule_reserve(cx, own, s->inner_count - 1)) return false;
  for (int i = 0; i < own->count; i++) own->items[i] = (double)milestones[i];
  for (int g = 0; g < s->optimizer->group_count; g++) {
    tocha_scalar initial;
    if (!tocha_optimizer_number(cx, s->optimizer, g, "initial_lr", &initial) ||
        !tocha_optimizer_set_number(cx, s->optimizer, g, "lr", initial))
      return false;
  }
  undo(s);
  tocha_scheduler *first = s->inner[place(s, 0)];
  s->epoch = 0;
  return tocha_scheduler_initial_step(cx, first) && follow(cx, s, first);
}

tocha_scheduler *tocha_optim_sequential_lr(tocha_context *cx, tocha_optimizer *optimizer, int count,
                                           tocha_scheduler *const *schedulers,
                                           const int64_t *milestones) {
  const tocha_scheduler_class *class = &tocha_scheduler_classes[TOCHA_CLASS_SEQUENTIAL_LR];
  if (tocha_failed(cx)) return NULL;
  if (count < 1 || !schedulers)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "%s expects at least one scheduler, but got no scheduler.", class->name);
  if (!optimizer) return tocha_refuse_none(cx, class->name, "optimizer", "Optimizer");
  if (count > 1 && !milestones) return tocha_refuse_none(cx, class->name, "milestones", "list");
  tocha_scheduler *s = create(cx, class, optimizer, count, schedulers);
  return s ? tocha_scheduler_begun(s, begin_sequential(cx, s, milestones)) : NULL;
}

bool tocha_schedule_step_sequential(tocha_context *cx, tocha_scheduler *s, const double *epoch) {
  const tocha_scheduler_value *milestones = &s->values[SEQUENTIAL_LR_MILESTONES];
  static const double beginning = 0;
  if (epoch) tocha_scheduler_warn_epoch(cx);
  s->epoch = epoch ? (int64_t)*epoch : s->epoch + 1;
  int i = place(s, s->epoch);
  tocha_scheduler *inner = s->inner[i];
  bool begins = i > 0 && milestones->items[i - 1] == (double)s->epoch;
  bool ok =
      begins ? tocha_scheduler_update(cx, inner, &beginning) : tocha_scheduler_step(cx, inner);
  return ok && follow(cx, s, inner);
}

/* --- ChainedScheduler ------------------------------------------------------------------------------- */

tocha_scheduler *tocha_optim_chained_scheduler(tocha_context *cx, int count,
                                               tocha_scheduler *const *schedulers) {
  const tocha_scheduler_class *class = &tocha_scheduler_classes[TOCHA_CLASS_CHAINED_SCHEDULER];
  if (tocha_failed(cx)) return NULL;
  if (count < 1 || !schedulers)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "%s expects at least one scheduler to be chained, but got no scheduler.",
                      class->name);
  if (!schedulers[0]) return tocha_refuse_none(cx, class->name, "schedulers", "LRScheduler");
  tocha_scheduler *s = create(cx, class, schedulers[0]->optimizer, count, schedulers);
  return s ? tocha_scheduler_begun(s, tocha_scheduler_read_rates(cx, s)) : NULL;
}

bool tocha_schedule_step_chained(tocha_context *cx, tocha_scheduler *s, const double *epoch) {
  for (int i = 0; i < s->inner_count; i++)
    if (!(epoch ? tocha_scheduler_step_epoch(cx, s->inner[i], *epoch)
                : tocha_scheduler_step(cx, s->inner[i])))
      return false;
  return tocha_scheduler_read_rates(cx, s);
}
