/* members.c: a module's tensors and submodules by name. */
#include <stdio.h>
#include <string.h>

#include "nn/module.h"

tocha_member *tocha_find_member(const tocha_members *members, const char *name) {
  for (int i = 0; i < members->count; i++)
    if (members->items[i].name[0] == name[0] && /* spares most calls of strcmp */
        strcmp(members->items[i].name, name) == 0)
      return &members->items[i];
  return NULL;
}

void tocha_note_found(tocha_module *module, const void *key, int count,
                      tocha_tensor *const *tensors) {
  tocha_found_tensors *f = &module->found;
  if (count > TOCHA_COUNT(f->tensors) || module->host_object.attribute) return;
  f->key = key;
  f->generation = module->generation;
  for (int i = 0; i < count; i++) f->tensors[i] = tensors[i];
}

tocha_member_kind tocha_module_member(const tocha_module *module, const char *name,
                                      tocha_tensor **tensor, tocha_module **child) {
  if (!module || !name) return 0;
  const tocha_member *m;
  if ((m = tocha_find_member(&module->parameters, name))) {
    if (tensor) *tensor = m->value;
    return TOCHA_MEMBER_PARAMETER;
  }
  if ((m = tocha_find_member(&module->children, name))) {
    if (child) *child = m->value;
    return TOCHA_MEMBER_MODULE;
  }
  if ((m = tocha_find_member(&module->buffers, name))) {
    if (tensor) *tensor = m->value;
    return TOCHA_MEMBER_BUFFER;
  }
  return TOCHA_NO_MEMBER;
}

/* Appends a member without a value. Returns NULL if memory is short. */
static tocha_member *add_member(tocha_context *cx, tocha_members *members, const char *name) {
  if (members->count == members->capacity) {
    int capacity = members->capacity ? 2 * members->capacity : 4;
    tocha_member *items = tocha_allocate(cx, (uint64_t)capacity * sizeof *items);
    if (!items) return NULL;
    if (members->count) memcpy(items, members->items, (size_t)members->count * sizeof *items);
    tocha_deallocate(cx, members->items, (uint64_t)members->capacity * sizeof *items);
    members->items = items;
    members->capacity = capacity;
  }
  tocha_member *m = &members->items[members->count];
  memset(m, 0, sizeof *m);
  if (!(m->name = tocha_copy_text(cx, name))) return NULL;
  m->persistent = true;
  members->count++;
  return m;
}

/* Fails if the name cannot be registered as `kind`. own: the members of that kind. */
static bool check_name(tocha_context *cx, const tocha_module *module, const tocha_members *own,
                       const char *kind, const char *name) {
  if (strchr(name, '.')) {
    bool child = own == &module->children;
    tocha_fail(cx, TOCHA_KEY_ERROR, "%s name can't contain \".\"%s%s", kind, child ? ", got: " : "",
               child ? name : "");
    return false;
  }
  if (!name[0]) {
    tocha_fail(cx, TOCHA_KEY_ERROR, "%s name can't be empty string \"\"", kind);
    return false;
  }
  if (!tocha_find_member(own, name) &&
      tocha_module_member(module, name, NULL, NULL) != TOCHA_NO_MEMBER) {
    tocha_fail(cx, TOCHA_KEY_ERROR, "attribute '%s' already exists", name);
    return false;
  }
  return true;
}

/* Returns the member of that name, and adds it if necessary. */
static tocha_member *find_or_add(tocha_context *cx, tocha_module *module, tocha_members *members,
                                 const char *name) {
  tocha_member *m = tocha_find_member(members, name);
  if (!m) m = add_member(cx, members, name);
  if (m) module->generation++;
  return m;
}

static bool set_tensor(tocha_context *cx, tocha_module *module, tocha_members *members,
                       const char *name, tocha_tensor *tensor, bool persistent) {
  tocha_member *m = find_or_add(cx, module, members, name);
  if (!m) return false;
  tocha_retain(tensor);
  tocha_release(m->value);
  m->value = tensor;
  m->persistent = persistent;
  return true;
}

bool tocha_register_parameter(tocha_context *cx, tocha_module *module, const char *name,
                              tocha_tensor *parameter) {
  if (!module) return tocha_refuse_none(cx, "register_parameter", "module", "Module");
  if (!name) return tocha_refuse_none(cx, "register_parameter", "name", "str");
  char type[48];
  if (!check_name(cx, module, &module->parameters, "parameter", name)) return false;
  if (parameter && !tocha_is_parameter(parameter)) {
    tocha_fail(cx, TOCHA_TYPE_ERROR,
               "cannot assign '%s' object to parameter '%s' (torch.nn.Parameter or None required)",
               tocha_old_type_name(parameter, type), name);
    return false;
  }
  if (parameter && !tocha_is_leaf(parameter)) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Cannot assign non-leaf Tensor to parameter '%s'. Model parameters must be created "
               "explicitly. To express '%s' as a function of another Tensor, compute the value in "
               "the forward() method.",
               name, name);
    return false;
  }
  return set_tensor(cx, module, &module->parameters, name, parameter, true);
}

bool tocha_register_buffer(tocha_context *cx, tocha_module *module, const char *name,
                           tocha_tensor *buffer, bool persistent) {
  if (!module) return tocha_refuse_none(cx, "register_buffer", "module", "Module");
  if (!name) return tocha_refuse_none(cx, "register_buffer", "name", "str");
  if (!check_name(cx, module, &module->buffers, "buffer", name)) return false;
  return set_tensor(cx, module, &module->buffers, name, buffer, persistent);
}

static bool replicate_members(tocha_context *cx, tocha_module *replica, tocha_members *to,
                              const tocha_members *from,
                              tocha_tensor *(*replace)(void *user, tocha_tensor *tensor),
                              void *user) {
  for (int i = 0; i < from->count; i++) {
    const tocha_member *m = &from->items[i];
    if (!set_tensor(cx, replica, to, m->name, m->value ? replace(user, m->value) : NULL,
                    m->persistent))
      return false;
  }
  return true;
}

tocha_module *tocha_module_replica(tocha_context *cx, const tocha_module *module,
                                   tocha_tensor *(*replace)(void *user, tocha_tensor *tensor),
                                   void *user) {
  if (!module) return tocha_refuse_none(cx, "module_replica", "module", "Module");
  if (!replace) return tocha_refuse_none(cx, "module_replica", "replace", "a function");
  tocha_module *replica = tocha_module_new(cx, module->class, module->name);
  bool ok = replica != NULL;
  for (int i = 0; ok && i < module->class->parameter_count; i++)
    ok = tocha_module_set_option(cx, replica, i, &module->options[i]);
  ok = ok &&
       replicate_members(cx, replica, &replica->parameters, &module->parameters, replace, user) &&
       replicate_members(cx, replica, &replica->buffers, &module->buffers, replace, user);
  if (!ok) {
    tocha_module_release(replica);
    return NULL;
  }
  replica->training = module->training;
  replica->host_object = module->host_object;
  return replica;
}

/* Moves child and the modules below it to `level` or deeper. Returns false if the bound is exceeded
 * or `parent` is among them. (Levels grow along every edge, so all modules above `parent` have
 * lower levels and are found.) */
static bool deepen(tocha_module *child, const tocha_module *parent, int level) {
  if (child == parent || level > TOCHA_DEEPEST_MODULE) return false;
  if (child->level >= level) return true;
  if (!child->deepened) {
    child->deepened = true;
    child->level_before = child->level;
  }
  child->level = level;
  for (int i = 0; i < child->children.count; i++) {
    tocha_module *below = child->children.items[i].value;
    if (below && !deepen(below, parent, level + 1)) return false;
  }
  return true;
}

/* Ends the change of deepen: keeps the new levels, or restores the old ones. */
static void settle(tocha_module *child, bool keep) {
  if (!child->deepened) return;
  child->deepened = false;
  if (!keep) child->level = child->level_before;
  for (int i = 0; i < child->children.count; i++)
    if (child->children.items[i].value) settle(child->children.items[i].value, keep);
}

static bool check_nesting(tocha_context *cx, const tocha_module *module, tocha_module *child) {
  if (!child) return true;
  bool ok = deepen(child, module, module->level + 1);
  settle(child, ok);
  if (ok) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "maximum recursion depth exceeded");
  tocha_hint(cx, "a module cannot be a part of itself, nor be nested deeper than %d",
             TOCHA_DEEPEST_MODULE);
  return false;
}

bool tocha_register_module(tocha_context *cx, tocha_module *module, const char *name,
                           tocha_module *child) {
  if (!module) return tocha_refuse_none(cx, "register_module", "module", "Module");
  if (!name) return tocha_refuse_none(cx, "register_module", "name", "str");
  if (!check_name(cx, module, &module->children, "module", name)) return false;
  if (!check_nesting(cx, module, child)) return false;
  tocha_member *m = find_or_add(cx, module, &module->children, name);
  if (!m) return false;
  tocha_module_retain(child);
  tocha_module_release(m->value);
  m->value = child;
  return true;
}

bool tocha_module_add_child(tocha_context *cx, tocha_module *module, const char *name,
                            tocha_module *child) {
  char number[16];
  if (!child) return tocha_refuse_none(cx, "module_add_child", "child", "Module");
  if (!name && module) {
    snprintf(number, sizeof number, "%d", module->children.count);
    name = number;
  }
  bool ok = tocha_register_module(cx, module, name, child);
  tocha_module_release(child);
  return ok;
}

/* Removes member number i. The caller owns the member's reference. */
static void *remove_member(tocha_context *cx, tocha_members *members, int i) {
  void *value = members->items[i].value;
  tocha_deallocate_text(cx, members->items[i].name);
  members->count--;
  memmove(members->items + i, members->items + i + 1,
          (size_t)(members->count - i) * sizeof *members->items);
  return value;
}

bool tocha_module_remove(tocha_module *module, const char *name) {
  if (!module || !name) return false;
  tocha_members *kinds[] = {&module->parameters, &module->buffers, &module->children};
  for (int k = 0; k < 3; k++) {
    const tocha_member *m = tocha_find_member(kinds[k], name);
    if (!m) continue;
    void *value = remove_member(module->context, kinds[k], (int)(m - kinds[k]->items));
    if (k == 2)
      tocha_module_release(value);
    else
      tocha_release(value);
    module->generation++;
    return true;
  }
  return false;
}

int tocha_module_child_count(const tocha_module *module) {
  return module ? module->children.count : 0;
}
/* Returns member number `index`, or NULL if there is none. */
static const tocha_member *member_at(const tocha_members *members, int index) {
  return members && index >= 0 && index < members->count ? &members->items[index] : NULL;
}

tocha_module *tocha_module_child(const tocha_module *module, int index) {
  const tocha_member *child = module ? member_at(&module->children, index) : NULL;
  return child ? child->value : NULL;
}
const char *tocha_module_child_name(const tocha_module *module, int index) {
  const tocha_member *child = module ? member_at(&module->children, index) : NULL;
  return child ? child->name : NULL;
}

bool tocha_module_insert(tocha_context *cx, tocha_module *module, int index, tocha_module *child) {
  char name[16];
  if (!module) return tocha_refuse_none(cx, "module_insert", "module", "Module");
  tocha_members *c = &module->children;
  if (index < 0 || index > c->count) {
    tocha_fail(cx, TOCHA_INDEX_ERROR, "Index out of range: %d", index);
    return false;
  }
  if (!check_nesting(cx, module, child)) return false;
  snprintf(name, sizeof name, "%d", c->count);
  if (!add_member(cx, c, name)) return false;
  for (int i = c->count - 1; i > index; i--) c->items[i].value = c->items[i - 1].value;
  c->items[index].value = tocha_module_retain(child);
  module->generation++;
  return true;
}

bool tocha_module_take(tocha_module *module, int index) {
  if (!module) return false;
  tocha_members *c = &module->children;
  if (index < 0 || index >= c->count) return false;
  tocha_module *child = c->items[index].value;
  for (int i = index; i + 1 < c->count; i++) c->items[i].value = c->items[i + 1].value;
  c->items[c->count - 1].value = NULL;
  remove_member(module->context, c, c->count - 1);
  tocha_module_release(child);
  module->generation++;
  return true;
}

/* --- members by number ----------------------------------------------------------------------- */

static const tocha_members *members_of(const tocha_module *module, tocha_member_kind kind) {
  return kind == TOCHA_MEMBER_PARAMETER ? &module->parameters
         : kind == TOCHA_MEMBER_BUFFER  ? &module->buffers
                                        : &module->children;
}

int tocha_module_member_count(const tocha_module *module, tocha_member_kind kind) {
  if (!module) return 0;
  return members_of(module, kind)->count;
}

const char *tocha_module_member_name(const tocha_module *module, tocha_member_kind kind,
                                     int index) {
  const tocha_member *member = module ? member_at(members_of(module, kind), index) : NULL;
  return member ? member->name : NULL;
}

tocha_tensor *tocha_module_tensor(const tocha_module *module, tocha_member_kind kind, int index) {
  if (!module || kind == TOCHA_MEMBER_MODULE) return NULL;
  const tocha_member *member = member_at(members_of(module, kind), index);
  return member ? member->value : NULL;
}

bool tocha_module_is_persistent(const tocha_module *module, const char *name) {
  if (!module) return false;
  const tocha_member *buffer = tocha_find_member(&module->buffers, name);
  return buffer && buffer->persistent;
}
