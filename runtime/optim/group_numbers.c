/* group_numbers.c: the numbers of a group by their names: options, and fields beside them. */
#include <string.h>

#include "dispatch/required_arguments.h"
#include "optim/optimizer.h"
#include "tensor/copy.h"

static tocha_group_field *find_field(const tocha_optimizer_group *g, const char *name) {
  for (int i = 0; g && name && i < g->field_count; i++)
    if (strcmp(g->fields[i].name, name) == 0) return &g->fields[i];
  return NULL;
}

/* Returns the option of that name if it is one number, else NULL. */
static tocha_option *find_number(const tocha_optimizer *o, int group, const char *name) {
  tocha_option *option = tocha_optimizer_option(o, group, name);
  const tocha_optimizer_group *g = tocha_optimizer_group_at(o, group);
  return option && o->class->options[option - g->options].kind == TOCHA_OPTION_NUMBER ? option
                                                                                      : NULL;
}

/* Returns the group. Fails if there is none or if the name cannot be that of a number. */
static tocha_optimizer_group *checked_group(tocha_context *cx, const tocha_optimizer *optimizer,
                                            int group, const char *name, const char *function) {
  if (!optimizer) return tocha_refuse_none(cx, function, "optimizer", "Optimizer");
  if (!name) return tocha_refuse_none(cx, function, "name", "str");
  if (tocha_failed(cx)) return NULL;
  tocha_optimizer_group *g = tocha_optimizer_group_at(optimizer, group);
  if (!g) return tocha_fail(cx, TOCHA_INDEX_ERROR, "list index out of range");
  bool is_other =
      tocha_optimizer_option(optimizer, group, name) && !find_number(optimizer, group, name);
  return is_other ? tocha_fail(cx, TOCHA_TYPE_ERROR, "optimizer option '%s' is not a number", name)
                  : g;
}

bool tocha_optimizer_number(tocha_context *cx, const tocha_optimizer *optimizer, int group,
                            const char *name, tocha_scalar *value) {
  const tocha_optimizer_group *g = checked_group(cx, optimizer, group, name, "optimizer_number");
  if (!g) return false;
  if (!value) return tocha_refuse_none(cx, "optimizer_number", "value", "float");
  const tocha_option *option = find_number(optimizer, group, name);
  const tocha_group_field *field = find_field(g, name);
  if (!option && !field) return tocha_fail(cx, TOCHA_KEY_ERROR, "'%s'", name) != NULL;
  if (option && option->tensors[0]) return tocha_item(cx, option->tensors[0], value);
  *value = option ? option->first : field->value;
  return true;
}

static bool make_room(tocha_context *cx, tocha_optimizer_group *g) {
  if (g->field_count < g->field_capacity) return true;
  int capacity = g->field_capacity ? 2 * g->field_capacity : 4;
  tocha_group_field *fields = tocha_allocate(cx, (uint64_t)capacity * sizeof *fields);
  if (!fields) return false;
  if (g->field_count) memcpy(fields, g->fields, (size_t)g->field_count * sizeof *fields);
  tocha_deallocate(cx, g->fields, (uint64_t)g->field_capacity * sizeof *fields);
  g->fields = fields;
  g->field_capacity = capacity;
  return true;
}

static bool add_field(tocha_context *cx, tocha_optimizer_group *g, const char *name,
                      tocha_scalar value) {
  size_t size = strlen(name) + 1;
  if (!make_room(cx, g)) return false;
  char *copy = tocha_allocate(cx, size);
  if (!copy) return false;
  memcpy(copy, name, size);
  g->fields[g->field_count++] = (tocha_group_field){copy, value};
  return true;
}

bool tocha_optimizer_set_number(tocha_context *cx, tocha_optimizer *optimizer, int group,
                                const char *name, tocha_scalar value) {
  tocha_optimizer_group *g = checked_group(cx, optimizer, group, name, "optimizer_set_number");
  if (!g) return false;
  tocha_option *option = find_number(optimizer, group, name);
  tocha_group_field *field = find_field(g, name);
  if (option) {
    option->first = value;
    return !option->tensors[0] || tocha_fill_data(cx, option->tensors[0], value);
  }
  if (!field) return add_field(cx, g, name, value);
  field->value = value;
  return true;
}

bool tocha_optimizer_has_field(const tocha_optimizer *optimizer, int group, const char *name) {
  return find_field(tocha_optimizer_group_at(optimizer, group), name) != NULL;
}

int tocha_optimizer_field_count(const tocha_optimizer *optimizer, int group) {
  const tocha_optimizer_group *g = tocha_optimizer_group_at(optimizer, group);
  return g ? g->field_count : 0;
}

const char *tocha_optimizer_field_name(const tocha_optimizer *optimizer, int group, int index) {
  const tocha_optimizer_group *g = tocha_optimizer_group_at(optimizer, group);
  return g && index >= 0 && index < g->field_count ? g->fields[index].name : NULL;
}

bool tocha_optimizer_remove_field(tocha_optimizer *optimizer, int group, const char *name) {
  tocha_optimizer_group *g = tocha_optimizer_group_at(optimizer, group);
  tocha_group_field *field = find_field(g, name);
  if (!field) return false;
  tocha_deallocate(optimizer->context, field->name, strlen(field->name) + 1);
  g->field_count--;
  memmove(field, field + 1, (size_t)(&g->fields[g->field_count] - field) * sizeof *field);
  return true;
}

void tocha_group_fields_free(tocha_context *cx, tocha_optimizer_group *group) {
  for (int i = 0; i < group->field_count; i++)
    tocha_deallocate(cx, group->fields[i].name, strlen(group->fields[i].name) + 1);
  tocha_deallocate(cx, group->fields, (uint64_t)group->field_capacity * sizeof *group->fields);
}
