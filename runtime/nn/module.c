/* module.c: modules as objects: life, options, members. */
#include <stdio.h>
#include <string.h>

#include "nn/module.h"

/* --- creation, references -------------------------------------------------------------------- */

const tocha_module_class *tocha_find_module_class(const char *name) {
  if (!name) return NULL;
  for (int i = 0; i < tocha_module_class_count; i++)
    if (strcmp(tocha_module_classes[i].name, name) == 0) return &tocha_module_classes[i];
  return NULL;
}

const tocha_module_class *tocha_module_class_at(int index) {
  return index >= 0 && index < tocha_module_class_count ? &tocha_module_classes[index] : NULL;
}

bool tocha_module_class_has_forward(const tocha_module_class *class_) {
  if (!class_) return false;
  return class_->op || class_->code->forward || class_->container == TOCHA_CONTAINER_SEQUENTIAL;
}

const char *tocha_module_class_name(const tocha_module_class *class_) {
  return class_ ? class_->name : NULL;
}

tocha_module *tocha_module_new(tocha_context *cx, const tocha_module_class *class_,
                               const char *name) {
  if (tocha_failed(cx)) return NULL;
  tocha_module *m = tocha_allocate_zeroed(cx, sizeof *m);
  if (!m) return NULL;
  tocha_refcount_init(&m->references);
  m->context = cx;
  m->class = class_ ? class_ : &tocha_module_classes[0];
  m->training = true;
  tocha_context_retain(cx);
  int count = m->class->parameter_count;
  if (count && !(m->options = tocha_allocate_zeroed(cx, (size_t)count * sizeof *m->options)))
    goto failed;
  for (int i = 0; i < count; i++) { /* options own their strings and lists: copy the defaults */
    const tocha_parameter *p = &m->class->parameters[i];
    const char *string = p->default_value.value.string;
    tocha_arg *option = &m->options[i];
    if (p->kind != TOCHA_KIND_STRING && !p->default_value.count) {
      *option = p->default_value;
    } else if (p->kind == TOCHA_KIND_STRING && string) { /* a list stays empty until init */
      if (!(option->value.string = tocha_copy_text(cx, string))) goto failed;
      option->given = p->default_value.given;
    }
  }
  if (name && !(m->name = tocha_copy_text(cx, name))) goto failed;
  return m;
failed:
  tocha_module_release(m);
  return NULL;
}

static void free_option(tocha_context *cx, const tocha_parameter *p, tocha_arg *option) {
  tocha_release(option->tensor);
  if (p->kind == TOCHA_KIND_STRING)
    tocha_deallocate_text(cx, (char *)option->value.string);
  else if (option->count)
    tocha_deallocate(cx, (void *)option->value.ints, (size_t)option->count * sizeof(int64_t));
  memset(option, 0, sizeof *option);
}

static void free_members(tocha_context *cx, tocha_members *members, bool modules) {
  for (int i = 0; i < members->count; i++) {
    tocha_deallocate_text(cx, members->items[i].name);
    if (modules)
      tocha_module_release(members->items[i].value);
    else
      tocha_release(members->items[i].value);
  }
  tocha_deallocate(cx, members->items, (size_t)members->capacity * sizeof *members->items);
}

tocha_module *tocha_module_retain(tocha_module *module) {
  if (module) tocha_refcount_retain(&module->references);
  return module;
}

void tocha_module_release(tocha_module *module) {
  if (!module || !tocha_refcount_release(&module->references)) return;
  tocha_context *cx = module->context;
  free_members(cx, &module->parameters, false);
  free_members(cx, &module->buffers, false);
  free_members(cx, &module->children, true);
  int count = module->class->parameter_count;
  if (module->options) {
    for (int i = 0; i < count; i++)
      free_option(cx, &module->class->parameters[i], &module->options[i]);
    tocha_deallocate(cx, module->options, (size_t)count * sizeof *module->options);
  }
  tocha_deallocate_text(cx, module->name);
  tocha_deallocate(cx, module, sizeof *module);
  tocha_context_release(cx);
}

const char *tocha_module_name(const tocha_module *module) {
  if (!module) return NULL;
  return module->name ? module->name : module->class->name;
}
const tocha_module_class *tocha_module_class_of(const tocha_module *module) {
  if (!module) return NULL;
  return module->class;
}
uint32_t tocha_module_generation(const tocha_module *module) {
  return module ? module->generation : 0;
}
bool tocha_module_training(const tocha_module *module) { return module && module->training; }
void tocha_module_set_training(tocha_module *module, bool training) {
  if (!module) return;
  module->training = training;
}
void tocha_module_set_host_object(tocha_module *module, const tocha_host_object *host_object) {
  if (!module) return;
  module->host_object = host_object ? *host_object : (tocha_host_object){0};
}
const tocha_host_object *tocha_module_get_host_object(const tocha_module *module) {
  static const tocha_host_object none = {0};
  return module ? &module->host_object : &none;
}

/* --- options --------------------------------------------------------------------------------- */

tocha_arg *tocha_module_option(const tocha_module *module, const char *name) {
  if (!module || !name) return NULL;
  for (int i = 0; i < module->class->parameter_count; i++)
    if (strcmp(module->class->parameters[i].name, name) == 0) return &module->options[i];
  return NULL;
}

bool tocha_module_set_option(tocha_context *cx, tocha_module *module, int index,
                             const tocha_arg *value) {
  if (!module) return tocha_refuse_none(cx, "module_set_option", "module", "Module");
  const tocha_parameter *p = &module->class->parameters[index];
  tocha_arg copy = *value;
  bool list =
      p->kind == TOCHA_KIND_INTS || p->kind == TOCHA_KIND_DIMS || p->kind == TOCHA_KIND_SIZE;
  if (!list) copy.count = 0;
  if (p->kind == TOCHA_KIND_STRING && copy.value.string) {
    copy.value.string = tocha_copy_text(cx, copy.value.string);
    if (!copy.value.string) return false;
  } else if (list && copy.count) {
    int64_t *ints = tocha_allocate(cx, (size_t)copy.count * sizeof *ints);
    if (!ints) return false;
    memcpy(ints, value->value.ints, (size_t)copy.count * sizeof *ints);
    copy.value.ints = ints;
  }
  tocha_retain(copy.tensor);
  free_option(cx, p, &module->options[index]);
  module->options[index] = copy;
  return true;
}

bool tocha_module_init(tocha_context *cx, tocha_module *module, const tocha_arg *args) {
  if (!module) return tocha_refuse_none(cx, "module_init", "module", "Module");
  for (int i = 0; i < module->class->parameter_count; i++)
    if (!tocha_module_set_option(cx, module, i, &args[i])) return false;
  return !module->class->code->init || (module->class->code->init(cx, module) && !tocha_failed(cx));
}

tocha_module *tocha_module_construct(tocha_context *cx, const tocha_module_class *class,
                                     const tocha_arg *args) {
  tocha_module *m = tocha_module_new(cx, class, NULL);
  if (!m) return NULL;
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = tocha_module_init(cx, m, args);
  tocha_scope_end(cx, scope, NULL);
  if (ok) return m;
  tocha_module_release(m);
  return NULL;
}

static int option_kind(const tocha_module *module, const tocha_arg *option) {
  return module->class->parameters[option - module->options].kind;
}

double tocha_option_real(const tocha_module *module, const char *name) {
  const tocha_arg *o = tocha_module_option(module, name);
  if (!o || !o->given) return 0;
  if (option_kind(module, o) == TOCHA_KIND_SCALAR) return tocha_scalar_real(o->value.scalar);
  return option_kind(module, o) == TOCHA_KIND_FLOAT ? o->value.real : (double)o->value.integer;
}

int64_t tocha_option_int(const tocha_module *module, const char *name) {
  const tocha_arg *o = tocha_module_option(module, name);
  return o ? o->value.integer : 0;
}

bool tocha_option_flag(const tocha_module *module, const char *name) {
  const tocha_arg *o = tocha_module_option(module, name);
  return o && o->value.flag;
}

tocha_dtype tocha_option_dtype(tocha_context *cx, const tocha_module *module) {
  const tocha_arg *o = tocha_module_option(module, "dtype");
  return o && o->given ? o->value.dtype : tocha_default_dtype(cx);
}

tocha_device tocha_option_device(tocha_context *cx, const tocha_module *module) {
  const tocha_arg *o = tocha_module_option(module, "device");
  return o && o->given ? o->value.device : tocha_default_device(cx);
}

/* --- members --------------------------------------------------------------------------------- */

tocha_member *tocha_find_member(const tocha_members *members, const char *name) {
  for (int i = 0; i < members->count; i++)
    if (strcmp(members->items[i].name, name) == 0) return &members->items[i];
  return NULL;
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

/* Appends a member without a value; NULL where memory lacks. */
static tocha_member *add_member(tocha_context *cx, tocha_members *members, const char *name) {
  if (members->count == members->capacity) {
    int capacity = members->capacity ? 2 * members->capacity : 4;
    tocha_member *items = tocha_allocate(cx, (size_t)capacity * sizeof *items);
    if (!items) return NULL;
    if (members->count) memcpy(items, members->items, (size_t)members->count * sizeof *items);
    tocha_deallocate(cx, members->items, (size_t)members->capacity * sizeof *items);
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

/* A name that may be registered as `kind`; `own` are the members of that kind. */
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

/* The member of that name, added where there is none. */
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

/* Moves child and what is below it to `level` or beyond; false past the bound, or where `parent`
 * is among them. (Levels grow along every edge, so all above `parent` have a lower one and are
 * seen.) */
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

/* Ends what deepen began: the new levels stay, or the old ones come back. */
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

/* Removes member number i; the caller owns the reference it held. */
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
/* NULL where there is no such member. */
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

/* --- tensors --------------------------------------------------------------------------------- */

bool tocha_is_parameter(const tocha_tensor *tensor) {
  return tensor && tensor->flags & TOCHA_FLAG_PARAMETER;
}

tocha_tensor *tocha_parameter_new(tocha_context *cx, tocha_tensor *tensor, bool requires_grad) {
  if (!tensor || tocha_failed(cx)) return NULL;
  tocha_tensor *p = tocha_shallow(cx, tensor);
  if (!p) return NULL;
  p->flags = (uint16_t)((p->flags & ~TOCHA_FLAG_UNTRACKED) | TOCHA_FLAG_PARAMETER);
  return requires_grad ? tocha_set_requires_grad(cx, p, true) : p;
}

const char *tocha_old_type_name(const tocha_tensor *tensor, char out[48]) {
  if (!tensor) return NULL;
  static const char *const places[] = {"", "cuda.", "meta.", "mps."};
  snprintf(out, 48, "torch.%s%sTensor", places[tensor->device.type],
           tocha_dtype_scalar_type(tensor->dtype));
  return out;
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
