/* optimizer_state.c: the state dict of an optimizer as a value: {"state": {number of a parameter: {name of a
 * state: tensor}}, "param_groups": [{option: value, "params": [numbers]}]}. */
#include <string.h>

#include "dispatch/required_arguments.h"
#include "optim/optimizer.h"
#include "serialization/checkpoint.h"
#include "tensor/copy.h"

/* --- writing ------------------------------------------------------------------------------------ */

static tocha_value *new_number(tocha_checkpoint *c, const tocha_option *o, int which) {
  return o->tensors[which] ? tocha_new_tensor(c, o->tensors[which])
                           : tocha_new_scalar(c, which ? o->second : o->first);
}

static tocha_value *new_option(tocha_checkpoint *c, tocha_option_kind kind, const tocha_option *o) {
  if (kind == TOCHA_OPTION_MAYBE && !o->given) return tocha_new_none(c);
  if (kind != TOCHA_OPTION_PAIR) return new_number(c, o, 0);
  tocha_value *pair = tocha_new_collection(c, TOCHA_VALUE_TUPLE);
  bool ok = pair && tocha_value_append(c, pair, new_number(c, o, 0)) &&
            tocha_value_append(c, pair, new_number(c, o, 1));
  return ok ? pair : NULL;
}

/* Returns {option: value, field: number, "params": [numbers]}. first: the number of the group's first
 * parameter. A parameter that occurs again has the number of its first occurrence. */
static tocha_value *new_group(tocha_checkpoint *c, const tocha_optimizer_class *class,
                              const tocha_optimizer_group *g, int first) {
  tocha_value *group = tocha_new_collection(c, TOCHA_VALUE_DICT);
  tocha_value *numbers = tocha_new_collection(c, TOCHA_VALUE_LIST);
  bool ok = group && numbers;
  for (int i = 0; ok && i < class->option_count; i++)
    ok = tocha_value_set_named(c, group, class->options[i].name,
                               new_option(c, class->options[i].kind, &g->options[i]));
  for (int i = 0; ok && i < g->field_count; i++)
    ok =
        tocha_value_set_named(c, group, g->fields[i].name, tocha_new_scalar(c, g->fields[i].value));
  for (int i = 0; ok && i < g->count; i++)
    ok = tocha_value_append(c, numbers, tocha_new_int(c, first + g->slots[i].owner));
  return ok && tocha_value_set_named(c, group, "params", numbers) ? group : NULL;
}

/* Adds the states of a parameter to `states` under its number, if there are any. */
static bool add_states(tocha_checkpoint *c, const tocha_optimizer_class *class,
                       const tocha_optimizer_slot *slot, int number, tocha_value *states) {
  tocha_value *own = NULL;
  for (int k = 0; class->states[k]; k++) {
    if (!slot->states[k]) continue;
    if (!own) own = tocha_new_collection(c, TOCHA_VALUE_DICT);
    if (!own ||
        !tocha_value_set_named(c, own, class->states[k], tocha_new_tensor(c, slot->states[k])))
      return false;
  }
  return !own || tocha_value_set(c, states, tocha_new_int(c, number), own);
}

tocha_value *tocha_optimizer_state_dict(tocha_checkpoint *checkpoint,
                                        const tocha_optimizer *optimizer) {
  tocha_checkpoint *c = checkpoint;
  tocha_value *dict = tocha_new_collection(c, TOCHA_VALUE_DICT); /* refuses a checkpoint of NULL */
  tocha_value *states = tocha_new_collection(c, TOCHA_VALUE_DICT);
  tocha_value *groups = tocha_new_collection(c, TOCHA_VALUE_LIST);
  if (!dict || !states || !groups) return NULL;
  if (!optimizer)
    return tocha_refuse_none(c->context, "optimizer_state_dict", "optimizer", "Optimizer");
  int number = 0;
  for (int i = 0; i < optimizer->group_count; i++) {
    const tocha_optimizer_group *g = optimizer->groups[i];
    if (!tocha_value_append(c, groups, new_group(c, optimizer->class, g, number))) return NULL;
    for (int k = 0; k < g->count; k++)
      if (!add_states(c, optimizer->class, &g->slots[k], number + k, states)) return NULL;
    number += g->count;
  }
  bool ok = tocha_value_set_named(c, dict, "state", states) &&
            tocha_value_set_named(c, dict, "param_groups", groups);
  return ok ? dict : NULL;
}

/* --- reading: what must be there ------------------------------------------------------------------ */

/* A state dict that is being read: its parts, and the group and parameter in turn. */
typedef struct reader {
  tocha_context *cx;
  tocha_optimizer *optimizer;
  const tocha_value *states, *groups;
  int64_t next; /* the place in `states` where the next parameter's are expected */
} reader;

/* Returns the entry of that name. Fails if there is none or if it is not of the kind. */
static const tocha_value *find_part(tocha_context *cx, const tocha_value *dict, const char *name,
                                    bool is_list) {
  if (!dict || !tocha_is_dict(dict)) {
    tocha_fail(cx, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute 'copy'",
               dict ? tocha_value_type(dict) : "NoneType");
    return tocha_hint(cx, "an optimizer's state_dict() has state and param_groups");
  }
  const tocha_value *part = tocha_value_find(dict, name);
  if (!part) {
    tocha_fail(cx, TOCHA_KEY_ERROR, "%s", name);
    return tocha_hint(cx, "an optimizer's state_dict() has state and param_groups");
  }
  bool fits = is_list ? part->kind == TOCHA_VALUE_LIST || part->kind == TOCHA_VALUE_TUPLE
                      : tocha_is_dict(part);
  return fits ? part
              : tocha_fail(cx, TOCHA_TYPE_ERROR, "object of type '%s' has no len()",
                           tocha_value_type(part));
}

/* Finds the parts of the state dict. Fails if the numbers of groups and parameters are not the
 * optimizer's. */
static bool find_parts(reader *r, const tocha_value *dict) {
  r->groups = find_part(r->cx, dict, "param_groups", true);
  if (!r->groups) return false;
  if (tocha_value_count(r->groups) != r->optimizer->group_count)
    return tocha_fail(r->cx, TOCHA_VALUE_ERROR,
                      "loaded state dict has a different number of parameter groups");
  for (int g = 0; g < r->optimizer->group_count; g++) {
    const tocha_value *params = find_part(r->cx, tocha_value_item(r->groups, g), "params", true);
    if (!params) return false;
    if (tocha_value_count(params) != r->optimizer->groups[g]->count)
      return tocha_fail(r->cx, TOCHA_VALUE_ERROR,
                        "loaded state dict contains a parameter group that doesn't match the size "
                        "of optimizer's group");
  }
  r->states = find_part(r->cx, dict, "state", false);
  return r->states != NULL;
}

/* Returns the saved states of a parameter, or NULL if there are none. Parameters in order are found
 * without a search. */
static const tocha_value *find_states(reader *r, int group, int index) {
  const tocha_value *params = tocha_value_find(tocha_value_item(r->groups, group), "params");
  const tocha_value *number = tocha_value_item(params, index);
  int64_t n = tocha_value_count(r->states);
  for (int64_t i = 0; i < n; i++) {
    int64_t at = (r->next + i) % n;
    const tocha_value *key = tocha_value_key(r->states, at);
    if (key->kind != TOCHA_VALUE_INT || number->kind != TOCHA_VALUE_INT ||
        key->as.integer != number->as.integer)
      continue;
    r->next = at + 1;
    const tocha_value *found = tocha_value_item(r->states, at);
    return tocha_is_dict(found) && tocha_value_count(found) ? found : NULL;
  }
  return NULL;
}

/* Returns the entry of that name, or NULL if there is none or if it is None. */
static const tocha_value *find_given(const tocha_value *dict, const char *name) {
  const tocha_value *v = tocha_value_find(dict, name);
  return tocha_value_kind_of(v) == TOCHA_VALUE_NONE ? NULL : v;
}

static bool refuse_lacking(const reader *r, const char *where, const char *name) {
  tocha_fail(r->cx, TOCHA_KEY_ERROR, "%s", name);
  tocha_hint(r->cx, "the state dict is of another kind of optimizer: its %s no %s, which %s needs",
             where, name, r->optimizer->class->name);
  return false;
}

/* Fails if a state that each step needs is missing. only_step: checks only the count of steps,
 * which PyTorch reads while it loads. */
static bool check_states(reader *r, int group, bool only_step) {
  const tocha_optimizer_class *class = r->optimizer->class;
  for (int i = 0; i < r->optimizer->groups[group]->count; i++) {
    const tocha_value *saved = find_states(r, group, i);
    for (int k = 0; saved && class->states[k]; k++) {
      bool is_needed = tocha_optimizer_needs_state(class, k) &&
                       (!only_step || strcmp(class->states[k], "step") == 0);
      if (is_needed && !find_given(saved, class->states[k]))
        return refuse_lacking(r, "states have", class->states[k]);
    }
  }
  return true;
}

/* --- reading: options ------------------------------------------------------------------------------- */

/* Reads one of an option's numbers. A tensor is copied; the copy is in the scope. */
static bool read_number(tocha_context *cx, const tocha_value *v, tocha_option *o, int which) {
  tocha_tensor *t = tocha_value_tensor(v);
  if (!tocha_value_scalar(cx, v, which ? &o->second : &o->first)) return false;
  o->tensors[which] =
      t ? tocha_copy_as(cx, t, tocha_dtype_of(t), tocha_device_of(t), TOCHA_PRESERVE_FORMAT) : NULL;
  return !t || o->tensors[which];
}

/* Reads an option. Fails if the value does not fit. */
static bool read_option(tocha_context *cx, const tocha_option_declaration *d, const tocha_value *v,
                        tocha_option *o) {
  tocha_value_kind kind = tocha_value_kind_of(v);
  bool ok = true;
  *o = (tocha_option){.given = kind != TOCHA_VALUE_NONE};
  if (d->kind == TOCHA_OPTION_PAIR) {
    ok = (kind == TOCHA_VALUE_TUPLE || kind == TOCHA_VALUE_LIST) && tocha_value_count(v) == 2 &&
         read_number(cx, tocha_value_item(v, 0), o, 0) &&
         read_number(cx, tocha_value_item(v, 1), o, 1);
  } else if (d->kind == TOCHA_OPTION_NUMBER) {
    ok = read_number(cx, v, o, 0);
  } else if (o->given) {
    tocha_scalar flag = tocha_boolean(true);
    if (kind <= TOCHA_VALUE_FLOAT) tocha_value_scalar(cx, v, &flag);
    o->first = tocha_boolean(tocha_scalar_real(flag) != 0);
  }
  return ok || tocha_fail(cx, TOCHA_TYPE_ERROR, "optimizer option '%s' must be %s, not %s", d->name,
                          d->kind == TOCHA_OPTION_PAIR ? "a pair of numbers" : "a number",
                          v ? tocha_value_type(v) : "NoneType");
}

/* Fails if a saved group lacks a number or has an invalid one. PyTorch has defaults only for the
 * flags, and fails in a later step. */
static bool check_options(const reader *r, int group) {
  const tocha_optimizer_class *class = r->optimizer->class;
  const tocha_value *saved = tocha_value_item(r->groups, group);
  for (int i = 0; i < class->option_count; i++) {
    const tocha_option_declaration *d = &class->options[i];
    tocha_option unused;
    if (d->kind != TOCHA_OPTION_NUMBER && d->kind != TOCHA_OPTION_PAIR) continue;
    const tocha_value *v = find_given(saved, d->name);
    if (!v) return refuse_lacking(r, "groups have", d->name);
    if (!read_option(r->cx, d, v, &unused)) return false;
  }
  return true;
}

/* Sets the options of a group, and replaces its fields by the saved group's other numbers. */
static bool load_options(const reader *r, int group) {
  const tocha_optimizer_class *class = r->optimizer->class;
  const tocha_value *saved = tocha_value_item(r->groups, group);
  const char *name;
  while ((name = tocha_optimizer_field_name(r->optimizer, group, 0)))
    tocha_optimizer_remove_field(r->optimizer, group, name);
  for (int64_t i = 0; i < tocha_value_count(saved); i++) {
    const tocha_value *v = tocha_value_item(saved, i);
    tocha_scalar number;
    tocha_option value;
    name = tocha_value_text(tocha_value_key(saved, i), NULL);
    if (!name || strcmp(name, "params") == 0) continue;
    const tocha_option *own = tocha_optimizer_option(r->optimizer, group, name);
    const tocha_option *options = r->optimizer->groups[group]->options;
    bool ok = true;
    if (own)
      ok = read_option(r->cx, &class->options[own - options], v, &value) &&
           tocha_optimizer_set_option(r->cx, r->optimizer, group, name, &value);
    else if (tocha_value_scalar(r->cx, v, &number))
      ok = tocha_optimizer_set_number(r->cx, r->optimizer, group, name, number);
    if (!ok) return false;
  }
  return true;
}

/* --- reading: states -------------------------------------------------------------------------------- */

/* Sets the states of a parameter: copies of those in `saved`, none if that is NULL. Old checkpoints
 * keep the count of steps as a number. */
static bool load_states(const reader *r, int group, int index, const tocha_value *saved) {
  const char *const *names = r->optimizer->class->states;
  for (int k = 0; names[k]; k++) {
    const tocha_value *v = tocha_value_find(saved, names[k]);
    tocha_tensor *t = tocha_value_tensor(v);
    tocha_scalar number;
    if (v && !t && tocha_value_scalar(r->cx, v, &number)) {
      float value = (float)tocha_scalar_real(number);
      t = tocha_from_values(r->cx, &value, 0, NULL, TOCHA_FLOAT32);
      if (!t) return false;
    }
    if (!tocha_optimizer_set_state(r->cx, r->optimizer, group, index, k, t)) return false;
  }
  return true;
}

static bool load(reader *r, const tocha_value *dict) {
  int groups = r->optimizer->group_count;
  bool ok = find_parts(r, dict);
  for (int g = 0; ok && g < groups; g++) /* before anything is changed, in PyTorch's order */
    ok = check_states(r, g, !r->optimizer->class->states_first) && check_options(r, g) &&
         check_states(r, g, false);
  for (int g = 0; ok && g < groups; g++) {
    ok = load_options(r, g);
    for (int i = 0; ok && i < r->optimizer->groups[g]->count; i++)
      ok = load_states(r, g, i, find_states(r, g, i));
  }
  return ok;
}

bool tocha_optimizer_load_state_dict(tocha_context *cx, tocha_optimizer *optimizer,
                                     const tocha_value *state_dict) {
  if (!optimizer)
    return tocha_refuse_none(cx, "optimizer_load_state_dict", "optimizer", "Optimizer");
  if (tocha_failed(cx)) return false;
  reader r = {.cx = cx, .optimizer = optimizer};
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = load(&r, state_dict);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}
