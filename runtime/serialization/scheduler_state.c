/* scheduler_state.c: the state dict of a scheduler as a value: its fields by PyTorch's names. */
#include <math.h>
#include <string.h>

#include "dispatch/required_arguments.h"
#include "optim/scheduler.h"
#include "serialization/checkpoint.h"

enum { MAX_ITEMS = 1 << 24 }; /* more groups or milestones than that are no scheduler's */

static bool set(tocha_checkpoint *c, tocha_value *dict, const char *name, const tocha_value *item) {
  return tocha_value_set_named(c, dict, name, item);
}

/* --- writing ------------------------------------------------------------------------------------ */

static tocha_value *new_numbers(tocha_checkpoint *c, const tocha_scheduler_value *value,
                                bool as_ints) {
  tocha_value *list = tocha_new_collection(c, TOCHA_VALUE_LIST);
  for (int i = 0; list && i < value->count; i++)
    if (!tocha_value_append(c, list,
                            as_ints ? tocha_new_int(c, (int64_t)value->items[i])
                                    : tocha_new_float(c, value->items[i])))
      return NULL;
  return list;
}

/* Returns {item: occurrences} of sorted items. */
static tocha_value *new_counts(tocha_checkpoint *c, const tocha_scheduler_value *value) {
  tocha_value *dict = tocha_new_collection(c, TOCHA_VALUE_DICT);
  for (int i = 0, next; dict && i < value->count; i = next) {
    for (next = i + 1; next < value->count && value->items[next] == value->items[i];) next++;
    if (!tocha_value_set(c, dict, tocha_new_int(c, (int64_t)value->items[i]),
                         tocha_new_int(c, next - i)))
      return NULL;
  }
  return dict;
}

static tocha_value *new_text(tocha_checkpoint *c, const char *text) {
  return tocha_new_string(c, text, strlen(text));
}

static tocha_value *new_phases(tocha_checkpoint *c, const tocha_scheduler_value *ends) {
  tocha_value *list = tocha_new_collection(c, TOCHA_VALUE_LIST);
  for (int i = 0; list && i < ends->count; i++) {
    const tocha_schedule_phase *p = &tocha_schedule_phases(ends->count)[i];
    tocha_value *phase = tocha_new_collection(c, TOCHA_VALUE_DICT);
    bool ok = phase && set(c, phase, "end_step", tocha_new_float(c, ends->items[i])) &&
              set(c, phase, "start_lr", new_text(c, p->start_lr)) &&
              set(c, phase, "end_lr", new_text(c, p->end_lr)) &&
              set(c, phase, "start_momentum", new_text(c, p->start_momentum)) &&
              set(c, phase, "end_momentum", new_text(c, p->end_momentum)) &&
              tocha_value_append(c, list, phase);
    if (!ok) return NULL;
  }
  return list;
}

static tocha_value *new_inner(tocha_checkpoint *c, const tocha_scheduler *s) {
  tocha_value *list = tocha_new_collection(c, TOCHA_VALUE_LIST);
  for (int i = 0; list && i < s->inner_count; i++) /* a scheduler is made of earlier ones */
    if (!tocha_value_append(c, list, tocha_scheduler_state_dict(c, s->inner[i]))) return NULL;
  return list;
}

/* Returns a list of None: functions are no part of a state. */
static tocha_value *new_functions(tocha_checkpoint *c, const tocha_scheduler *s) {
  tocha_value *list = tocha_new_collection(c, TOCHA_VALUE_LIST);
  int count = s->function_count == 1 ? s->optimizer->group_count : s->function_count;
  for (int i = 0; list && i < count; i++)
    if (!tocha_value_append(c, list, tocha_new_none(c))) return NULL;
  return list;
}

static tocha_value *new_field(tocha_checkpoint *c, const tocha_scheduler *s, int i) {
  const tocha_schedule_field *field = &s->class->fields[i];
  const tocha_scheduler_value *value = &s->values[i];
  switch (field->kind) {
  case TOCHA_FIELD_CHOICE:
    return new_text(c, field->choices[value->number.value.integer]);
  case TOCHA_FIELD_INTS:
  case TOCHA_FIELD_FLOATS:
    return new_numbers(c, value, field->kind == TOCHA_FIELD_INTS);
  case TOCHA_FIELD_COUNTS:
    return new_counts(c, value);
  case TOCHA_FIELD_NONE:
    return tocha_new_none(c);
  case TOCHA_FIELD_FUNCTIONS:
    return new_functions(c, s);
  case TOCHA_FIELD_PHASES:
    return new_phases(c, value);
  case TOCHA_FIELD_SCHEDULERS:
    return new_inner(c, s);
  default:
    return tocha_new_scalar(c, value->number);
  }
}

tocha_value *tocha_scheduler_state_dict(tocha_checkpoint *checkpoint,
                                        const tocha_scheduler *scheduler) {
  tocha_checkpoint *c = checkpoint;
  const tocha_scheduler *s = scheduler;
  tocha_value *dict = tocha_new_collection(c, TOCHA_VALUE_DICT); /* refuses a checkpoint of NULL */
  if (!dict) return NULL;
  if (!s) return tocha_refuse_none(c->context, "scheduler_state_dict", "scheduler", "LRScheduler");
  for (int i = 0; i < s->class->field_count; i++)
    if (!set(c, dict, s->class->fields[i].name, new_field(c, s, i))) return NULL;
  bool ok = true;
  if (s->class->keeps_base)
    ok = set(c, dict, "base_lrs", new_numbers(c, &s->base, false)) &&
         set(c, dict, "_step_count", tocha_new_int(c, s->steps)) &&
         set(c, dict, "_is_initial", tocha_new_bool(c, false)) &&
         set(c, dict, "_get_lr_called_within_step", tocha_new_bool(c, false));
  if (s->class->keeps_epoch) ok = ok && set(c, dict, "last_epoch", tocha_new_int(c, s->epoch));
  return ok && set(c, dict, "_last_lr", new_numbers(c, &s->last, false)) ? dict : NULL;
}

/* --- reading ------------------------------------------------------------------------------------ */

/* A state dict that is being read. */
typedef struct reader {
  tocha_context *cx;
  tocha_scheduler *scheduler;
  const tocha_value *dict;
} reader;

static bool refuse(const reader *r, const char *name, const char *expected, const tocha_value *v) {
  tocha_fail(r->cx, TOCHA_TYPE_ERROR, "'%s' of a %s must be %s, not %s", name,
             r->scheduler->class->name, expected, v ? tocha_value_type(v) : "NoneType");
  return false;
}

static bool is_list(const tocha_value *v) {
  tocha_value_kind kind = tocha_value_kind_of(v);
  return (kind == TOCHA_VALUE_LIST || kind == TOCHA_VALUE_TUPLE) &&
         tocha_value_count(v) <= MAX_ITEMS;
}

/* Reads a whole number below 2^62, so that counting on from it cannot overflow. */
static bool read_int(const reader *r, const char *name, const tocha_value *v, int64_t *number) {
  tocha_scalar scalar;
  bool ok = tocha_value_scalar(r->cx, v, &scalar);
  double real = ok ? tocha_scalar_real(scalar) : 0;
  if (!ok || !(fabs(real) < 0x1p62)) return refuse(r, name, "an int", v);
  *number = scalar.kind == TOCHA_SCALAR_FLOAT ? (int64_t)real : scalar.value.integer;
  return true;
}

static bool read_numbers(const reader *r, const char *name, const tocha_value *v, bool as_ints,
                         tocha_scheduler_value *value) {
  if (!is_list(v)) return refuse(r, name, "a list of numbers", v);
  if (!tocha_schedule_reserve(r->cx, value, (int)tocha_value_count(v))) return false;
  for (int i = 0; i < value->count; i++) {
    const tocha_value *item = tocha_value_item(v, i);
    tocha_scalar number;
    int64_t integer;
    if (as_ints && !read_int(r, name, item, &integer)) return false;
    if (!tocha_value_scalar(r->cx, item, &number)) return refuse(r, name, "a list of numbers", v);
    value->items[i] = as_ints ? (double)integer : tocha_scalar_real(number);
  }
  return true;
}

/* Reads {item: occurrences}; the items become sorted. */
static bool read_counts(const reader *r, int field, const tocha_value *v) {
  const char *name = r->scheduler->class->fields[field].name;
  int64_t item, times, count = 0;
  if (!v || !tocha_is_dict(v)) return refuse(r, name, "a dict of numbers", v);
  for (int64_t i = 0; i < tocha_value_count(v); i++) {
    if (!read_int(r, name, tocha_value_item(v, i), &times)) return false;
    if (times < 0 || times > MAX_ITEMS - count) return refuse(r, name, "a dict of counts", v);
    count += times;
  }
  int64_t *items = tocha_allocate(r->cx, (uint64_t)(count + 1) * sizeof *items);
  bool ok = items != NULL;
  for (int64_t i = 0, at = 0; ok && i < tocha_value_count(v); i++) {
    ok = read_int(r, name, tocha_value_key(v, i), &item) &&
         read_int(r, name, tocha_value_item(v, i), &times);
    for (int64_t k = 0; ok && k < times; k++) items[at++] = item;
  }
  ok = ok && tocha_schedule_set_counts(r->cx, r->scheduler, field, (int)count, items);
  tocha_deallocate(r->cx, items, (uint64_t)(count + 1) * sizeof *items);
  return ok;
}

static bool read_phases(const reader *r, const char *name, const tocha_value *v,
                        tocha_scheduler_value *ends) {
  int64_t count = tocha_value_count(v);
  if (!is_list(v) || count < 2 || count > 3) return refuse(r, name, "a list of 2 or 3 phases", v);
  if (!tocha_schedule_reserve(r->cx, ends, (int)count)) return false;
  for (int i = 0; i < count; i++) {
    tocha_scalar end;
    if (!tocha_value_scalar(r->cx, tocha_value_find(tocha_value_item(v, i), "end_step"), &end))
      return refuse(r, name, "a list of phases, which have end_step", tocha_value_item(v, i));
    ends->items[i] = tocha_scalar_real(end);
  }
  return true;
}

static bool read_inner(const reader *r, const char *name, const tocha_value *v) {
  if (!is_list(v)) return refuse(r, name, "a list of state dicts", v);
  if (tocha_value_count(v) > r->scheduler->inner_count)
    return tocha_fail(r->cx, TOCHA_INDEX_ERROR, "list index out of range") != NULL;
  for (int i = 0; i < tocha_value_count(v); i++)
    if (!tocha_scheduler_load_state_dict(r->cx, r->scheduler->inner[i], tocha_value_item(v, i)))
      return false;
  return true;
}

static bool read_number(const reader *r, const tocha_schedule_field *field, const tocha_value *v,
                        tocha_scalar *number) {
  if (tocha_value_kind_of(v) == TOCHA_VALUE_NONE && field->optional) {
    number->kind = TOCHA_NO_SCALAR;
    return true;
  }
  if (field->kind == TOCHA_FIELD_INT) {
    int64_t integer;
    if (!read_int(r, field->name, v, &integer)) return false;
    *number = tocha_int(integer);
    return true;
  }
  tocha_scalar read;
  if (!tocha_value_scalar(r->cx, v, &read)) return refuse(r, field->name, "a number", v);
  if (field->kind == TOCHA_FIELD_BOOL) read = tocha_boolean(tocha_scalar_real(read) != 0);
  if (field->kind == TOCHA_FIELD_FLOAT) read = tocha_float(tocha_scalar_real(read));
  *number = read;
  return true;
}

/* Reads a field, if the dict has it. */
static bool read_field(const reader *r, int i) {
  const tocha_schedule_field *field = &r->scheduler->class->fields[i];
  const tocha_value *v = tocha_value_find(r->dict, field->name);
  tocha_scheduler_value *value = &r->scheduler->values[i];
  if (!v) return true;
  switch (field->kind) {
  case TOCHA_FIELD_CHOICE:
    return tocha_schedule_choose(r->scheduler, i, tocha_value_text(v, NULL)) ||
           tocha_fail(r->cx, TOCHA_VALUE_ERROR, "%s %.50s is unknown!", field->name,
                      tocha_value_text(v, NULL) ? tocha_value_text(v, NULL) : tocha_value_type(v));
  case TOCHA_FIELD_INTS:
  case TOCHA_FIELD_FLOATS:
    return read_numbers(r, field->name, v, field->kind == TOCHA_FIELD_INTS, value);
  case TOCHA_FIELD_COUNTS:
    return read_counts(r, i, v);
  case TOCHA_FIELD_NONE:
  case TOCHA_FIELD_FUNCTIONS:
    return true;
  case TOCHA_FIELD_PHASES:
    return read_phases(r, field->name, v, value);
  case TOCHA_FIELD_SCHEDULERS:
    return read_inner(r, field->name, v);
  default:
    return read_number(r, field, v, &value->number);
  }
}

bool tocha_scheduler_load_state_dict(tocha_context *cx, tocha_scheduler *scheduler,
                                     const tocha_value *state_dict) {
  tocha_scheduler *s = scheduler;
  const reader r = {cx, s, state_dict};
  if (!s) return tocha_refuse_none(cx, "scheduler_load_state_dict", "scheduler", "LRScheduler");
  if (tocha_failed(cx)) return false;
  if (!state_dict || !tocha_is_dict(state_dict))
    return tocha_fail(cx, TOCHA_TYPE_ERROR, "'%s' object is not iterable",
                      state_dict ? tocha_value_type(state_dict) : "NoneType") != NULL;
  for (int i = 0; i < s->class->field_count; i++)
    if (!read_field(&r, i)) return false;
  const tocha_value *base = tocha_value_find(state_dict, "base_lrs");
  const tocha_value *last = tocha_value_find(state_dict, "_last_lr");
  const tocha_value *epoch = tocha_value_find(state_dict, "last_epoch");
  const tocha_value *steps = tocha_value_find(state_dict, "_step_count");
  return (!base || read_numbers(&r, "base_lrs", base, false, &s->base)) &&
         (!last || read_numbers(&r, "_last_lr", last, false, &s->last)) &&
         (!epoch || read_int(&r, "last_epoch", epoch, &s->epoch)) &&
         (!steps || read_int(&r, "_step_count", steps, &s->steps));
}
