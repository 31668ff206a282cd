/* plateau.c: ReduceLROnPlateau reduces the rates when a number has stopped improving. */
#include <math.h>

#include "optim/schedules.h"

/* The fields by shorter names, and the choices of mode and threshold_mode. */
enum {
  FACTOR = REDUCE_LR_ON_PLATEAU_FACTOR,
  DEFAULT_MINIMUM = REDUCE_LR_ON_PLATEAU_DEFAULT_MIN_LR,
  MINIMA = REDUCE_LR_ON_PLATEAU_MIN_LRS,
  PATIENCE = REDUCE_LR_ON_PLATEAU_PATIENCE,
  COOLDOWN = REDUCE_LR_ON_PLATEAU_COOLDOWN,
  EPS = REDUCE_LR_ON_PLATEAU_EPS,
  WORST = REDUCE_LR_ON_PLATEAU_MODE_WORSE,
  MODE = REDUCE_LR_ON_PLATEAU_MODE,
  THRESHOLD = REDUCE_LR_ON_PLATEAU_THRESHOLD,
  THRESHOLD_MODE = REDUCE_LR_ON_PLATEAU_THRESHOLD_MODE,
  BEST = REDUCE_LR_ON_PLATEAU_BEST,
  COOLDOWN_COUNTER = REDUCE_LR_ON_PLATEAU_COOLDOWN_COUNTER,
  BAD_EPOCHS = REDUCE_LR_ON_PLATEAU_NUM_BAD_EPOCHS
};
enum { MIN, MAX };
enum { RELATIVE, ABSOLUTE };

static double real(const tocha_scheduler *s, int field) {
  return tocha_scalar_real(s->values[field].number);
}
static int64_t integer(const tocha_scheduler *s, int field) {
  return s->values[field].number.value.integer;
}

/* Sets a minimum for each group, from one for all or one for each. */
static bool set_minima(tocha_context *cx, tocha_scheduler *s, const tocha_floats *given) {
  int groups = s->optimizer->group_count, count = given->count;
  if (count != 1 && (count != groups || count > TOCHA_MAX_OPTION_LENGTH))
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "expected %d min_lrs, got %d", groups, count) != NULL;
  if (count == 1) s->values[DEFAULT_MINIMUM].number = tocha_float(given->items[0]);
  if (!tocha_schedule_reserve(cx, &s->values[MINIMA], groups)) return false;
  for (int g = 0; g < groups; g++) s->values[MINIMA].items[g] = given->items[count == 1 ? 0 : g];
  return true;
}

bool tocha_schedule_begin_plateau(tocha_context *cx, tocha_scheduler *s,
                                  const tocha_reduce_lr_on_plateau_options *o) {
  if (o->factor >= 1) return tocha_fail(cx, TOCHA_VALUE_ERROR, "Factor should be < 1.0.") != NULL;
  if (!set_minima(cx, s, &o->min_lr)) return false;
  if (!tocha_schedule_choose(s, MODE, o->mode))
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "mode %.50s is unknown!",
                      o->mode ? o->mode : "None") != NULL;
  if (!tocha_schedule_choose(s, THRESHOLD_MODE, o->threshold_mode))
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "threshold mode %.50s is unknown!",
                      o->threshold_mode ? o->threshold_mode : "None") != NULL;
  s->values[FACTOR].number = tocha_float(o->factor);
  s->values[PATIENCE].number = tocha_int(o->patience);
  s->values[COOLDOWN].number = tocha_int(o->cooldown);
  s->values[EPS].number = tocha_float(o->eps);
  s->values[THRESHOLD].number = tocha_float(o->threshold);
  s->values[WORST].number = tocha_float(integer(s, MODE) == MIN ? INFINITY : -INFINITY);
  s->values[BEST].number = s->values[WORST].number;
  s->values[COOLDOWN_COUNTER].number = s->values[BAD_EPOCHS].number = tocha_int(0);
  s->epoch = 0;
  return tocha_scheduler_read_rates(cx, s);
}

static bool is_better(const tocha_scheduler *s, double a) {
  double best = real(s, BEST), threshold = real(s, THRESHOLD);
  bool relative = integer(s, THRESHOLD_MODE) == RELATIVE;
  if (integer(s, MODE) == MIN) return a < (relative ? best * (1.0 - threshold) : best - threshold);
  return a > (relative ? best * (threshold + 1.0) : best + threshold);
}

static bool reduce(tocha_context *cx, tocha_scheduler *s) {
  tocha_optimizer *o = s->optimizer;
  tocha_scheduler_value *minima = &s->values[MINIMA];
  int known = minima->count;
  if (known != o->group_count) {
    if (s->values[DEFAULT_MINIMUM].number.kind == TOCHA_NO_SCALAR)
      return tocha_fail(
                 cx, TOCHA_RUNTIME_ERROR,
                 "The number of param groups in the `optimizer` (%d) differs from when "
                 "`ReduceLROnPlateau` was initialized (%d), usually due to a new param group being "
                 "added to the optimizer. Please modify the `min_lrs` field to match the length of "
                 "the `optimizer` param groups.",
                 o->group_count, known) != NULL;
    if (!tocha_schedule_reserve(cx, minima, o->group_count)) return false;
    for (int g = 0; g < o->group_count; g++) minima->items[g] = real(s, DEFAULT_MINIMUM);
  }
  if (!tocha_scheduler_read_rates(cx, s)) return false;
  for (int g = 0; g < o->group_count; g++) {
    double old = s->last.items[g], new = old *real(s, FACTOR);
    if (minima->items[g] > new) new = minima->items[g];
    if (old - new > real(s, EPS) && !tocha_optimizer_set_number(cx, o, g, "lr", tocha_float(new)))
      return false;
  }
  return true;
}

bool tocha_schedule_metric_plateau(tocha_context *cx, tocha_scheduler *s, double metric) {
  int64_t bad = integer(s, BAD_EPOCHS) + 1;
  s->epoch++;
  if (is_better(s, metric)) {
    s->values[BEST].number = tocha_float(metric);
    bad = 0;
  }
  if (integer(s, COOLDOWN_COUNTER) > 0) {
    s->values[COOLDOWN_COUNTER].number.value.integer--;
    bad = 0; /* bad epochs during the cooldown do not count */
  }
  s->values[BAD_EPOCHS].number = tocha_int(bad);
  if (bad > integer(s, PATIENCE)) {
    if (!reduce(cx, s)) return false;
    s->values[COOLDOWN_COUNTER].number = s->values[COOLDOWN].number;
    s->values[BAD_EPOCHS].number = tocha_int(0);
  }
  return tocha_scheduler_read_rates(cx, s);
}

bool tocha_schedule_step_plateau(tocha_context *cx, tocha_scheduler *s, const double *epoch) {
  (void)s;
  (void)epoch;
  tocha_fail(cx, TOCHA_TYPE_ERROR,
             "ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'");
  tocha_hint(cx, "tocha_scheduler_step_metric takes the number that should improve");
  return false;
}
