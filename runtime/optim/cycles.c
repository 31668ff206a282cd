/* cycles.c: CyclicLR (Smith 2017) and OneCycleLR (Smith and Topin 2018), which change the momentum, too. The
 * momentum is the first of the betas if the optimizer has these. */
#include <math.h>
#include <string.h>

#include "optim/schedules.h"

/* --- numbers for each group ------------------------------------------------------------------------- */

/* Sets a value to a number for each group, from one for all or one for each. */
static bool for_groups(tocha_context *cx, const tocha_optimizer *o, const char *name,
                       const tocha_floats *given, tocha_scheduler_value *value) {
  int groups = o->group_count, count = given->count;
  if (count != 1 && (count != groups || count > TOCHA_MAX_OPTION_LENGTH))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "%s must have the same length as optimizer.param_groups. %s has %d values, "
                      "param_groups has %d.",
                      name, name, count, groups) != NULL;
  if (!tocha_schedule_reserve(cx, value, groups)) return false;
  for (int g = 0; g < groups; g++) value->items[g] = given->items[count == 1 ? 0 : g];
  return true;
}

static bool set_field(tocha_context *cx, tocha_optimizer *o, int group, const char *name,
                      double number) {
  return tocha_optimizer_set_number(cx, o, group, name, tocha_float(number));
}

static bool read_field(tocha_context *cx, const tocha_optimizer *o, int group, const char *name,
                       double *number) {
  tocha_scalar value;
  if (!tocha_optimizer_number(cx, o, group, name, &value)) return false;
  *number = tocha_scalar_real(value);
  return true;
}

/* --- momentum --------------------------------------------------------------------------------------- */

static bool has_betas(const tocha_optimizer *o) {
  for (int i = 0; i < o->class->option_count; i++)
    if (strcmp(o->class->options[i].name, "betas") == 0) return true;
  return false;
}

static bool has_momentum(const tocha_optimizer *o) {
  for (int i = 0; i < o->class->option_count; i++)
    if (strcmp(o->class->options[i].name, "momentum") == 0) return true;
  return false;
}

static bool set_momentum(tocha_context *cx, tocha_optimizer *o, int group, double momentum) {
  const tocha_option *betas = tocha_optimizer_option(o, group, "betas");
  if (!betas) return set_field(cx, o, group, "momentum", momentum);
  tocha_option changed = *betas;
  changed.first = tocha_float(momentum);
  changed.tensors[0] = NULL;
  return tocha_optimizer_set_option(cx, o, group, "betas", &changed);
}

/* Sets *base and *maximum to a momentum for each group, and notes them in the groups at a beginning. */
static bool begin_momentum(tocha_context *cx, tocha_optimizer *o, const tocha_floats *base,
                           const tocha_floats *maximum, bool is_beginning,
                           tocha_scheduler_value *bases, tocha_scheduler_value *maxima) {
  if (!has_betas(o) && !has_momentum(o))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "optimizer must support momentum or beta1 with `cycle_momentum` option "
                      "enabled") != NULL;
  if (!for_groups(cx, o, "base_momentum", base, bases) ||
      !for_groups(cx, o, "max_momentum", maximum, maxima))
    return false;
  for (int g = 0; is_beginning && g < o->group_count; g++)
    if (!set_momentum(cx, o, g, maxima->items[g]) ||
        !set_field(cx, o, g, "max_momentum", maxima->items[g]) ||
        !set_field(cx, o, g, "base_momentum", bases->items[g]))
      return false;
  return true;
}

/* --- CyclicLR --------------------------------------------------------------------------------------- */

enum { TRIANGULAR, TRIANGULAR2, EXP_RANGE }; /* the choices of mode */
enum { BY_CYCLE, BY_ITERATION };             /* and of scale_mode */

static bool set_cycle(tocha_context *cx, tocha_scheduler *s, const tocha_cyclic_lr_options *o) {
  double down = o->step_size_down != 0 ? o->step_size_down : o->step_size_up;
  s->values[CYCLIC_LR_TOTAL_SIZE].number = tocha_float(o->step_size_up + down);
  s->values[CYCLIC_LR_STEP_RATIO].number = tocha_float(o->step_size_up / (o->step_size_up + down));
  if (!tocha_schedule_choose(s, CYCLIC_LR_MODE, o->mode))
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "mode is invalid and scale_fn is None") != NULL;
  bool is_exponential = s->values[CYCLIC_LR_MODE].number.value.integer == EXP_RANGE;
  s->values[CYCLIC_LR_SCALE_MODE].number = tocha_int(is_exponential ? BY_ITERATION : BY_CYCLE);
  s->values[CYCLIC_LR_GAMMA].number = tocha_float(o->gamma);
  s->values[CYCLIC_LR_CYCLE_MOMENTUM].number = tocha_boolean(o->cycle_momentum);
  return true;
}

bool tocha_schedule_begin_cyclic(tocha_context *cx, tocha_scheduler *s,
                                 const tocha_cyclic_lr_options *o) {
  tocha_optimizer *optimizer = s->optimizer;
  bool is_beginning = o->last_epoch == -1;
  tocha_scheduler_value base = {.items = NULL}, old;
  bool ok = for_groups(cx, optimizer, "base_lr", &o->base_lr, &base);
  for (int g = 0; ok && is_beginning && g < optimizer->group_count; g++)
    ok = set_field(cx, optimizer, g, "lr", base.items[g]);
  ok = ok && for_groups(cx, optimizer, "max_lr", &o->max_lr, &s->values[CYCLIC_LR_MAX_LRS]) &&
       set_cycle(cx, s, o);
  if (ok && o->cycle_momentum) {
    ok = begin_momentum(cx, optimizer, &o->base_momentum, &o->max_momentum, is_beginning,
                        &s->values[CYCLIC_LR_BASE_MOMENTUMS], &s->values[CYCLIC_LR_MAX_MOMENTUMS]);
    s->values[CYCLIC_LR_USE_BETA1].number = tocha_boolean(has_betas(optimizer));
  }
  ok = ok && tocha_scheduler_start(cx, s, o->last_epoch);
  old = s->base;
  s->base = base; /* not the fields initial_lr, which an earlier scheduler may have noted */
  tocha_deallocate(cx, old.items, (uint64_t)old.count * sizeof *old.items);
  return ok;
}

/* Returns the height of a cycle. place: its number, or the iteration. */
static double height(const tocha_scheduler *s, double place) {
  switch (s->values[CYCLIC_LR_MODE].number.value.integer) {
  case TRIANGULAR2:
    return 1 / pow(2, place - 1);
  case EXP_RANGE:
    return pow(tocha_scalar_real(s->values[CYCLIC_LR_GAMMA].number), place);
  default:
    return 1;
  }
}

/* Fails if a list of the scheduler has not one number for each group. */
static bool check_length(tocha_context *cx, const tocha_scheduler *s, int field) {
  int count = s->values[field].count, groups = s->optimizer->group_count;
  return count == groups ||
         tocha_fail(cx, TOCHA_VALUE_ERROR, "zip() argument 2 is %s than argument 1",
                    count < groups ? "shorter" : "longer") != NULL;
}

bool tocha_schedule_rates_cyclic(tocha_context *cx, tocha_scheduler *s, double *rates) {
  double total = tocha_scalar_real(s->values[CYCLIC_LR_TOTAL_SIZE].number);
  double ratio = tocha_scalar_real(s->values[CYCLIC_LR_STEP_RATIO].number);
  double epoch = (double)s->epoch, cycle = floor(1 + epoch / total);
  double x = 1 + epoch / total - cycle;
  double factor = x <= ratio ? x / ratio : (x - 1) / (ratio - 1);
  bool by_cycle = s->values[CYCLIC_LR_SCALE_MODE].number.value.integer == BY_CYCLE;
  double scale = height(s, by_cycle ? cycle : epoch);
  if (!check_length(cx, s, CYCLIC_LR_MAX_LRS)) return false;
  for (int g = 0; g < s->optimizer->group_count; g++) {
    double base = s->base.items[g];
    rates[g] = base + (s->values[CYCLIC_LR_MAX_LRS].items[g] - base) * factor * scale;
  }
  if (!s->values[CYCLIC_LR_CYCLE_MOMENTUM].number.value.integer) return true;
  if (!check_length(cx, s, CYCLIC_LR_BASE_MOMENTUMS) ||
      !check_length(cx, s, CYCLIC_LR_MAX_MOMENTUMS))
    return false;
  for (int g = 0; g < s->optimizer->group_count; g++) {
    double minimum = s->values[CYCLIC_LR_BASE_MOMENTUMS].items[g];
    double maximum = s->values[CYCLIC_LR_MAX_MOMENTUMS].items[g];
    if (!set_momentum(cx, s->optimizer, g, maximum - (maximum - minimum) * factor * scale))
      return false;
  }
  return true;
}

/* --- OneCycleLR ------------------------------------------------------------------------------------- */

enum { COSINE, LINEAR }; /* the choices of _anneal_func_type */

const tocha_schedule_phase *tocha_schedule_phases(int count) {
  static const tocha_schedule_phase two[] = {
      {"initial_lr", "max_lr", "max_momentum", "base_momentum"},
      {"max_lr", "min_lr", "base_momentum", "max_momentum"}};
  static const tocha_schedule_phase three[] = {
      {"initial_lr", "max_lr", "max_momentum", "base_momentum"},
      {"max_lr", "initial_lr", "base_momentum", "max_momentum"},
      {"initial_lr", "min_lr", "max_momentum", "max_momentum"}};
  return count == 3 ? three : two;
}

static bool is_positive(tocha_context *cx, const char *name, int64_t number) {
  return number > 0 ||
         tocha_fail(cx, TOCHA_VALUE_ERROR, "Expected positive integer %s, but got %lld", name,
                    (long long)number) != NULL;
}

/* Sets the number of steps and the last step of each phase. */
static bool set_phases(tocha_context *cx, tocha_scheduler *s, const tocha_one_cycle_lr_options *o) {
  int64_t total = o->total_steps;
  if (total) {
    if (!is_positive(cx, "total_steps", total)) return false;
  } else {
    if (!o->epochs || !o->steps_per_epoch)
      return tocha_fail(cx, TOCHA_VALUE_ERROR,
                        "You must define either total_steps OR (epochs AND steps_per_epoch)") !=
             NULL;
    if (!is_positive(cx, "epochs", o->epochs) ||
        !is_positive(cx, "steps_per_epoch", o->steps_per_epoch))
      return false;
    if (o->epochs > INT64_MAX / o->steps_per_epoch)
      return tocha_fail(cx, TOCHA_VALUE_ERROR, "OneCycleLR has too many steps") != NULL;
    total = o->epochs * o->steps_per_epoch;
  }
  if (!(o->pct_start >= 0 && o->pct_start <= 1))
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Expected float between 0 and 1 pct_start, but got %g",
                      o->pct_start) != NULL;
  tocha_scheduler_value *ends = &s->values[ONE_CYCLE_LR_SCHEDULE_PHASES];
  if (!tocha_schedule_reserve(cx, ends, o->three_phase ? 3 : 2)) return false;
  ends->items[0] = o->pct_start * (double)total - 1;
  if (o->three_phase) ends->items[1] = 2 * o->pct_start * (double)total - 2;
  ends->items[ends->count - 1] = (double)(total - 1);
  s->values[ONE_CYCLE_LR_TOTAL_STEPS].number = tocha_int(total);
  if (!tocha_schedule_choose(s, ONE_CYCLE_LR_ANNEAL_FUNC_TYPE, o->anneal_strategy))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "anneal_strategy must be one of 'cos' or 'linear', instead got %.50s",
                      o->anneal_strategy ? o->anneal_strategy : "None") != NULL;
  return true;
}

bool tocha_schedule_begin_one_cycle(tocha_context *cx, tocha_scheduler *s,
                                    const tocha_one_cycle_lr_options *o) {
  tocha_optimizer *optimizer = s->optimizer;
  bool is_beginning = o->last_epoch == -1;
  tocha_scheduler_value maxima = {.items = NULL}, low = {.items = NULL}, high = {.items = NULL};
  bool ok = set_phases(cx, s, o) && for_groups(cx, optimizer, "max_lr", &o->max_lr, &maxima);
  for (int g = 0; ok && is_beginning && g < optimizer->group_count; g++) {
    double initial = maxima.items[g] / o->div_factor;
    ok = set_field(cx, optimizer, g, "initial_lr", initial) &&
         set_field(cx, optimizer, g, "max_lr", maxima.items[g]) &&
         set_field(cx, optimizer, g, "min_lr", initial / o->final_div_factor);
  }
  s->values[ONE_CYCLE_LR_CYCLE_MOMENTUM].number = tocha_boolean(o->cycle_momentum);
  if (ok && o->cycle_momentum) {
    ok = begin_momentum(cx, optimizer, &o->base_momentum, &o->max_momentum, is_beginning, &low,
                        &high);
    s->values[ONE_CYCLE_LR_USE_BETA1].number = tocha_boolean(has_betas(optimizer));
  }
  tocha_schedule_reserve(cx, &maxima, 0);
  tocha_schedule_reserve(cx, &low, 0);
  tocha_schedule_reserve(cx, &high, 0);
  return ok && tocha_scheduler_start(cx, s, o->last_epoch);
}

/* Returns the value at a fraction of the way from one value to another. */
static double between(const tocha_scheduler *s, double from, double to, double share) {
  if (s->values[ONE_CYCLE_LR_ANNEAL_FUNC_TYPE].number.value.integer == LINEAR)
    return (to - from) * share + from;
  return to + (from - to) / 2.0 * (cos(3.14159265358979323846 * share) + 1);
}

/* Reads the two numbers of a group between which a phase goes, and returns the value in between. */
static bool read_between(tocha_context *cx, const tocha_scheduler *s, int group, const char *from,
                         const char *to, double share, double *value) {
  double a, b;
  if (!read_field(cx, s->optimizer, group, from, &a) ||
      !read_field(cx, s->optimizer, group, to, &b))
    return false;
  *value = between(s, a, b, share);
  return true;
}

bool tocha_schedule_rates_one_cycle(tocha_context *cx, tocha_scheduler *s, double *rates) {
  int64_t total = s->values[ONE_CYCLE_LR_TOTAL_STEPS].number.value.integer;
  const tocha_scheduler_value *ends = &s->values[ONE_CYCLE_LR_SCHEDULE_PHASES];
  double start = 0, epoch = (double)s->epoch;
  int phase = 0;
  if (s->epoch > total)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Tried to step %lld times. The specified number of total steps is %lld",
                      (long long)s->epoch, (long long)total) != NULL;
  while (phase < ends->count - 1 && epoch > ends->items[phase]) start = ends->items[phase++];
  const tocha_schedule_phase *p = &tocha_schedule_phases(ends->count)[phase];
  double share = (epoch - start) / (ends->items[phase] - start);
  for (int g = 0; g < s->optimizer->group_count; g++) {
    double momentum;
    if (!read_between(cx, s, g, p->start_lr, p->end_lr, share, &rates[g])) return false;
    if (s->values[ONE_CYCLE_LR_CYCLE_MOMENTUM].number.value.integer &&
        (!read_between(cx, s, g, p->start_momentum, p->end_momentum, share, &momentum) ||
         !set_momentum(cx, s->optimizer, g, momentum)))
      return false;
  }
  return true;
}
