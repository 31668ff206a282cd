/* traverse.c: walks the module tree, for modes, gradients and moving. */
#include <stdio.h>
#include <string.h>

#include "autograd/node.h"
#include "device/devices.h"
#include "nn/module.h"
#include "ops/creation/factory.h"
#include "tensor/copy.h"
#include "tensor/geometry.h"

/* --- lists ----------------------------------------------------------------------------------- */

void tocha_named_list_free(tocha_named_list *list) {
  if (!list) return;
  for (int i = 0; i < list->count; i++) tocha_deallocate_text(list->context, list->items[i].name);
  if (list->context)
    tocha_deallocate(list->context, list->items, (uint64_t)list->capacity * sizeof *list->items);
  memset(list, 0, sizeof *list);
}

bool tocha_named_list_add(tocha_context *cx, tocha_named_list *list, const char *name,
                          tocha_tensor *tensor, tocha_module *module) {
  list->context = cx;
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 8;
    tocha_named *items = tocha_allocate(cx, (uint64_t)capacity * sizeof *items);
    if (!items) return false;
    if (list->count) memcpy(items, list->items, (size_t)list->count * sizeof *items);
    tocha_deallocate(cx, list->items, (uint64_t)list->capacity * sizeof *list->items);
    list->items = items;
    list->capacity = capacity;
  }
  tocha_named *n = &list->items[list->count];
  if (!(n->name = tocha_copy_text(cx, name))) return false;
  n->tensor = tensor;
  n->module = module;
  list->count++;
  return true;
}

static bool seen_tensor(const tocha_named_list *list, const tocha_tensor *tensor) {
  for (int i = 0; i < list->count; i++)
    if (list->items[i].tensor == tensor) return true;
  return false;
}

static bool seen_module(const tocha_named_list *list, const tocha_module *module) {
  for (int i = 0; i < list->count; i++)
    if (list->items[i].module == module) return true;
  return false;
}

/* --- named members --------------------------------------------------------------------------- */

enum { NAME_ROOM = 1024 };

/* Writes "prefix.name" into full. Fails if it is too long. */
static bool join_names(tocha_context *cx, char *full, const char *prefix, const char *name) {
  int n = snprintf(full, NAME_ROOM, "%s%s%s", prefix, prefix[0] ? "." : "", name);
  if (n < NAME_ROOM) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "the name of a member has more than %d bytes", NAME_ROOM);
  return false;
}

typedef struct traversal {
  tocha_context *cx;
  tocha_named_list *out;
  tocha_named_list visited; /* modules, if each is visited only once */
  bool buffers, remove_duplicate;
} traversal;

static bool modules_below(traversal *w, tocha_named_list *out, tocha_module *module,
                          const char *prefix) {
  char name[NAME_ROOM];
  if (w->remove_duplicate && seen_module(out, module)) return true;
  if (tocha_interrupted(w->cx)) return false;
  if (!tocha_named_list_add(w->cx, out, prefix, NULL, module)) return false;
  for (int i = 0; i < module->children.count; i++) {
    const tocha_member *c = &module->children.items[i];
    if (!c->value) continue;
    if (!join_names(w->cx, name, prefix, c->name) || !modules_below(w, out, c->value, name))
      return false;
  }
  return true;
}

bool tocha_named_modules(tocha_context *cx, tocha_module *module, const char *prefix,
                         bool remove_duplicate, tocha_named_list *list) {
  if (!module) return tocha_refuse_none(cx, "named_modules", "module", "Module");
  if (!prefix) return tocha_refuse_none(cx, "named_modules", "prefix", "str");
  traversal w = {cx, list, {0}, false, remove_duplicate};
  return modules_below(&w, list, module, prefix);
}

static bool own_tensors(traversal *w, tocha_module *module, const char *prefix) {
  char name[NAME_ROOM];
  const tocha_members *own = w->buffers ? &module->buffers : &module->parameters;
  for (int i = 0; i < own->count; i++) {
    const tocha_member *m = &own->items[i];
    if (!m->value || (w->remove_duplicate && seen_tensor(w->out, m->value))) continue;
    if (!join_names(w->cx, name, prefix, m->name) ||
        !tocha_named_list_add(w->cx, w->out, name, m->value, NULL))
      return false;
  }
  return true;
}

static bool named_tensors(traversal *w, tocha_module *module, const char *prefix, bool recurse) {
  if (!recurse) return own_tensors(w, module, prefix);
  bool ok = modules_below(w, &w->visited, module, prefix);
  for (int i = 0; ok && i < w->visited.count; i++)
    ok = own_tensors(w, w->visited.items[i].module, w->visited.items[i].name);
  tocha_named_list_free(&w->visited);
  return ok;
}

bool tocha_named_parameters(tocha_context *cx, tocha_module *module, const char *prefix,
                            bool recurse, bool remove_duplicate, tocha_named_list *list) {
  if (!module) return tocha_refuse_none(cx, "named_parameters", "module", "Module");
  if (!prefix) return tocha_refuse_none(cx, "named_parameters", "prefix", "str");
  traversal w = {cx, list, {0}, false, remove_duplicate};
  return named_tensors(&w, module, prefix, recurse);
}

bool tocha_module_parameters(tocha_context *cx, tocha_module *module, tocha_tensors *list) {
  if (!module) return tocha_refuse_none(cx, "parameters", "module", "Module");
  if (!list) return tocha_refuse_none(cx, "parameters", "list", "tocha_tensors");
  *list = (tocha_tensors){0};
  tocha_named_list named = {0};
  bool ok = tocha_named_parameters(cx, module, "", true, true, &named);
  if (ok && named.count) {
    list->items = tocha_allocate(cx, (uint64_t)named.count * sizeof *list->items);
    ok = list->items != NULL;
  }
  if (ok) {
    list->count = named.count;
    for (int i = 0; i < named.count; i++) list->items[i] = named.items[i].tensor;
  }
  tocha_named_list_free(&named);
  return ok;
}

bool tocha_named_buffers(tocha_context *cx, tocha_module *module, const char *prefix, bool recurse,
                         bool remove_duplicate, tocha_named_list *list) {
  if (!module) return tocha_refuse_none(cx, "named_buffers", "module", "Module");
  if (!prefix) return tocha_refuse_none(cx, "named_buffers", "prefix", "str");
  traversal w = {cx, list, {0}, true, remove_duplicate};
  return named_tensors(&w, module, prefix, recurse);
}

bool tocha_named_children(tocha_context *cx, tocha_module *module, tocha_named_list *list) {
  if (!module) return tocha_refuse_none(cx, "named_children", "module", "Module");
  for (int i = 0; i < module->children.count; i++) {
    const tocha_member *c = &module->children.items[i];
    if (c->value && !seen_module(list, c->value) &&
        !tocha_named_list_add(cx, list, c->name, NULL, c->value))
      return false;
  }
  return true;
}

int64_t tocha_parameter_count(tocha_context *cx, tocha_module *module) {
  if (!module) return 0;
  tocha_named_list list = {0};
  int64_t total = tocha_named_parameters(cx, module, "", true, true, &list) ? 0 : -1;
  for (int i = 0; total >= 0 && i < list.count; i++) total += list.items[i].tensor->numel;
  tocha_named_list_free(&list);
  return total;
}

/* --- by dotted name -------------------------------------------------------------------------- */

static void *no_attribute(tocha_context *cx, const tocha_module *module, const char *name,
                          int length) {
  return tocha_fail(cx, TOCHA_ATTRIBUTE_ERROR, "%s has no attribute `%.*s`",
                    tocha_module_name(module), length, name);
}

static tocha_module *descend(tocha_context *cx, tocha_module *module, const char *target,
                             size_t length) {
  char name[NAME_ROOM];
  while (length) {
    const char *dot = memchr(target, '.', length);
    size_t part = dot ? (size_t)(dot - target) : length;
    if (part >= sizeof name) return no_attribute(cx, module, target, (int)part);
    memcpy(name, target, part);
    name[part] = '\0';
    tocha_module *child = NULL;
    tocha_member_kind kind = tocha_module_member(module, name, NULL, &child);
    if (kind == TOCHA_NO_MEMBER) return no_attribute(cx, module, name, (int)part);
    if (!child) return tocha_fail(cx, TOCHA_ATTRIBUTE_ERROR, "`%s` is not an nn.Module", name);
    module = child;
    target += part + (dot ? 1 : 0);
    length -= part + (dot ? 1 : 0);
  }
  return module;
}

tocha_module *tocha_get_submodule(tocha_context *cx, tocha_module *module, const char *target) {
  if (!module) return tocha_refuse_none(cx, "get_submodule", "module", "Module");
  if (!target) return tocha_refuse_none(cx, "get_submodule", "target", "str");
  return descend(cx, module, target, strlen(target));
}

static tocha_tensor *get_tensor(tocha_context *cx, tocha_module *module, const char *target,
                                tocha_member_kind wanted) {
  const char *dot = strrchr(target, '.'), *name = dot ? dot + 1 : target;
  tocha_tensor *t = NULL;
  module = descend(cx, module, target, dot ? (size_t)(dot - target) : 0);
  if (!module) return NULL;
  tocha_member_kind kind = tocha_module_member(module, name, &t, NULL);
  if (kind == TOCHA_NO_MEMBER) return no_attribute(cx, module, name, (int)strlen(name));
  if (kind == wanted && (t || wanted == TOCHA_MEMBER_BUFFER)) return t;
  return tocha_fail(cx, TOCHA_ATTRIBUTE_ERROR, "`%s` is not %s", name,
                    wanted == TOCHA_MEMBER_BUFFER ? "a buffer" : "an nn.Parameter");
}

tocha_tensor *tocha_get_parameter(tocha_context *cx, tocha_module *module, const char *target) {
  if (!module) return tocha_refuse_none(cx, "get_parameter", "module", "Module");
  if (!target) return tocha_refuse_none(cx, "get_parameter", "target", "str");
  return get_tensor(cx, module, target, TOCHA_MEMBER_PARAMETER);
}

tocha_tensor *tocha_get_buffer(tocha_context *cx, tocha_module *module, const char *target) {
  if (!module) return tocha_refuse_none(cx, "get_buffer", "module", "Module");
  if (!target) return tocha_refuse_none(cx, "get_buffer", "target", "str");
  return get_tensor(cx, module, target, TOCHA_MEMBER_BUFFER);
}

/* --- modes, gradients ------------------------------------------------------------------------ */

bool tocha_module_train(tocha_module *module, bool training) {
  if (!module) return false;
  if (tocha_interrupted(module->context)) return false;
  module->training = training;
  for (int i = 0; i < module->children.count; i++)
    if (module->children.items[i].value &&
        !tocha_module_train(module->children.items[i].value, training))
      return false;
  return true;
}

bool tocha_module_requires_grad(tocha_context *cx, tocha_module *module, bool requires_grad) {
  if (!module) return tocha_refuse_none(cx, "module_requires_grad", "module", "Module");
  tocha_named_list list = {0};
  bool ok = tocha_named_parameters(cx, module, "", true, true, &list);
  for (int i = 0; ok && i < list.count; i++)
    ok =
        (!tocha_is_uninitialized(list.items[i].tensor) ||
         tocha_refuse_without_data(cx, list.items[i].tensor,
                                   "<method 'requires_grad_' of 'torch._C.TensorBase' objects>")) &&
        tocha_set_requires_grad(cx, list.items[i].tensor, requires_grad) != NULL;
  tocha_named_list_free(&list);
  return ok;
}

bool tocha_module_zero_grad(tocha_context *cx, tocha_module *module, bool set_to_none) {
  if (!module) return tocha_refuse_none(cx, "module_zero_grad", "module", "Module");
  tocha_named_list list = {0};
  bool ok = tocha_named_parameters(cx, module, "", true, true, &list);
  for (int i = 0; ok && i < list.count; i++)
    ok = tocha_clear_grad(cx, list.items[i].tensor, set_to_none);
  tocha_named_list_free(&list);
  return ok;
}

bool tocha_module_apply(tocha_module *module, bool (*function)(void *user, tocha_module *module),
                        void *user) {
  if (!module) return false;
  if (!function)
    return tocha_refuse_none(module->context, "module_apply", "function", "a function");
  tocha_named_list list = {0};
  bool ok = tocha_named_children(module->context, module, &list);
  for (int i = 0; i < list.count; i++) tocha_module_retain(list.items[i].module);
  for (int i = 0; ok && i < list.count; i++)
    ok = tocha_module_apply(list.items[i].module, function, user);
  for (int i = 0; i < list.count; i++) tocha_module_release(list.items[i].module);
  tocha_named_list_free(&list);
  return ok && function(user, module);
}

bool tocha_module_reset_parameters(tocha_context *cx, tocha_module *module) {
  if (!module) return tocha_refuse_none(cx, "module_reset_parameters", "module", "Module");
  return !module->class->code->reset || module->class->code->reset(cx, module);
}

/* --- moving ---------------------------------------------------------------------------------- */

typedef struct target {
  tocha_device device;
  tocha_dtype dtype;
} target;

/* Returns t with the target's device and dtype: t itself if it has them, else a new tensor. */
static tocha_tensor *converted(tocha_context *cx, tocha_tensor *t, const target *to) {
  tocha_device device = to->device.type == TOCHA_NO_DEVICE ? t->device : to->device;
  tocha_dtype dtype = t->dtype;
  if (to->dtype != TOCHA_NO_DTYPE && tocha_dtype_is_floating(dtype)) dtype = to->dtype;
  if (dtype == t->dtype && tocha_device_equal(device, t->device)) return t;
  if (t->device.type == TOCHA_META && device.type != TOCHA_META)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "Cannot copy out of meta tensor; no data! Please use "
                      "torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving "
                      "module from meta to a different device.");
  return tocha_copy_as(cx, t, dtype, device, TOCHA_CONTIGUOUS_FORMAT);
}

static bool move_parameter(tocha_context *cx, tocha_tensor *p, const target *to) {
  tocha_tensor *data = converted(cx, p, to);
  if (!data) return false;
  if (data != p && !tocha_set_data(cx, p, data)) return false;
  tocha_tensor *grad = tocha_grad(p);
  if (!grad) return true;
  data = converted(cx, grad, to);
  return data && (data == grad || tocha_set_data(cx, grad, data));
}

static bool move_below(tocha_context *cx, tocha_module *module, const target *to) {
  if (tocha_interrupted(cx)) return false;
  for (int i = 0; i < module->children.count; i++)
    if (module->children.items[i].value && !move_below(cx, module->children.items[i].value, to))
      return false;
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = true;
  for (int i = 0; ok && i < module->parameters.count; i++)
    ok = !module->parameters.items[i].value ||
         move_parameter(cx, module->parameters.items[i].value, to);
  for (int i = 0; ok && i < module->buffers.count; i++) {
    tocha_member *b = &module->buffers.items[i];
    if (!b->value) continue;
    tocha_tensor *data = converted(cx, b->value, to);
    ok = data != NULL;
    if (!ok || data == b->value) continue;
    if (tocha_is_uninitialized(b->value)) { /* the first batch will fill this very tensor */
      ok = tocha_set_data(cx, b->value, data);
      continue;
    }
    tocha_release(b->value);
    b->value = tocha_retain(data);
    module->generation++;
  }
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

/* --- memory format --------------------------------------------------------------------------- */

/* Returns t in a layout, which is for tensors of four or five dimensions: t itself if it has the
 * layout, or other dimensions. */
static tocha_tensor *laid_out(tocha_context *cx, tocha_tensor *t, tocha_named_format format) {
  int64_t strides[TOCHA_MAX_DIMS];
  if (t->ndim != 4 && t->ndim != 5) return t;
  if (!tocha_format_is_channels_last(format)) return tocha_as_rows(cx, t, (tocha_dtype)t->dtype);
  if (!tocha_check_channels_last(cx, format, t->ndim, t->sizes, strides)) return NULL;
  if (tocha_has_channels_last_strides(t)) return t;
  tocha_tensor *out =
      tocha_new_strided(cx, t->ndim, t->sizes, strides, (tocha_dtype)t->dtype, t->device);
  return out && tocha_copy_data(cx, out, t) ? out : NULL;
}

static bool lay_out(tocha_context *cx, tocha_tensor *t, tocha_named_format format) {
  tocha_tensor *data = laid_out(cx, t, format), *grad = tocha_grad(t);
  if (!data || (data != t && !tocha_set_data(cx, t, data))) return false;
  return !grad || lay_out(cx, grad, format);
}

static bool to_format(tocha_context *cx, tocha_module *module, tocha_named_format format) {
  if (!module || tocha_failed(cx) || tocha_interrupted(cx)) return false;
  for (int i = 0; i < module->children.count; i++)
    if (module->children.items[i].value && !to_format(cx, module->children.items[i].value, format))
      return false;
  tocha_scope scope = tocha_scope_begin(cx);
  const tocha_members *all[] = {&module->parameters, &module->buffers};
  bool ok = true;
  for (int k = 0; k < 2; k++)
    for (int i = 0; ok && i < all[k]->count; i++) {
      tocha_tensor *t = all[k]->items[i].value;
      ok = !t || lay_out(cx, t, format);
    }
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

bool tocha_module_to_format(tocha_context *cx, tocha_module *module, bool channels_last) {
  return to_format(cx, module,
                   channels_last ? TOCHA_FORMAT_CHANNELS_LAST : TOCHA_FORMAT_CONTIGUOUS);
}

bool tocha_module_to_channels_last_3d(tocha_context *cx, tocha_module *module) {
  return to_format(cx, module, TOCHA_FORMAT_CHANNELS_LAST_3D);
}

/* --- devices and dtypes ---------------------------------------------------------------------- */

bool tocha_module_to(tocha_context *cx, tocha_module *module, tocha_device device,
                     tocha_dtype dtype) {
  if (!module || tocha_failed(cx)) return false;
  if (dtype != TOCHA_NO_DTYPE && !tocha_dtype_is_floating(dtype)) {
    tocha_fail(cx, TOCHA_TYPE_ERROR,
               "nn.Module.to only accepts floating point or complex dtypes, but got desired "
               "dtype=torch.%s",
               tocha_dtype_name(dtype));
    return false;
  }
  if (device.type != TOCHA_NO_DEVICE && !tocha_device_available(cx, device)) return false;
  target to = {device, dtype};
  return move_below(cx, module, &to);
}
