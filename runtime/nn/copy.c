/* copy.c: deep copies of modules, in their context or in another one. */
#include "nn/module.h"

#include <string.h>

#include "tocha/autograd.h"
#include "tocha/ops/clone.h"
#include "tocha/ops/detach.h"

/* A copy in progress. It records the modules and tensors that are copied already, so that those
 * which occur twice are copied once. */
typedef struct copying {
  tocha_context *cx;
  tocha_tensor *(*copy_data)(void *user, tocha_tensor *tensor);
  void *user;
  struct pair {
    const void *from;
    void *to;
  } * pairs;
  int count, capacity;
} copying;

static void *copy_found(const copying *c, const void *from) {
  for (int i = 0; i < c->count; i++)
    if (c->pairs[i].from == from) return c->pairs[i].to;
  return NULL;
}

static bool note(copying *c, const void *from, void *to) {
  if (c->count == c->capacity) {
    int capacity = c->capacity ? 2 * c->capacity : 32;
    struct pair *pairs = tocha_allocate(c->cx, (uint64_t)capacity * sizeof *pairs);
    if (!pairs) return false;
    if (c->count) memcpy(pairs, c->pairs, (size_t)c->count * sizeof *pairs);
    tocha_deallocate(c->cx, c->pairs, (uint64_t)c->capacity * sizeof *pairs);
    c->pairs = pairs;
    c->capacity = capacity;
  }
  c->pairs[c->count++] = (struct pair){from, to};
  return true;
}

static tocha_tensor *copy_tensor(void *user, tocha_tensor *t) {
  copying *c = user;
  tocha_tensor *copy = copy_found(c, t);
  if (copy) return copy;
  bool parameter = tocha_is_parameter(t);
  if (tocha_is_uninitialized(t))
    copy = tocha_uninitialized_new(c->cx, parameter, tocha_requires_grad(t), (tocha_dtype)t->dtype,
                                   t->device);
  else
    copy = c->copy_data(c->user, t);
  if (copy && parameter && !tocha_is_uninitialized(t))
    copy = tocha_parameter_new(c->cx, copy, tocha_requires_grad(t));
  return copy && note(c, t, copy) ? copy : NULL;
}

/* Ends what a copy in another context has in common with the original: the host's functions, and
 * tensors among the options. */
static bool move_to_context(copying *c, tocha_module *copy) {
  copy->host_object = (tocha_host_object){0};
  for (int i = 0; i < copy->class->parameter_count; i++) {
    tocha_arg option = copy->options[i];
    if (!option.tensor) continue;
    option.tensor = copy_tensor(c, option.tensor);
    if (!option.tensor || !tocha_module_set_option(c->cx, copy, i, &option)) return false;
  }
  return true;
}

/* Returns a copy of the module, which the caller owns. */
static tocha_module *copy_module(copying *c, const tocha_module *module) {
  tocha_module *copy = copy_found(c, module);
  if (copy) return tocha_module_retain(copy);
  copy = tocha_module_replica(c->cx, module, copy_tensor, c);
  bool ok = copy && !tocha_failed(c->cx) && note(c, module, copy) &&
            (module->context == c->cx || move_to_context(c, copy));
  for (int i = 0; ok && i < module->children.count; i++) {
    const tocha_member *m = &module->children.items[i];
    tocha_module *child = m->value ? copy_module(c, m->value) : NULL;
    ok = (child || !m->value) && tocha_register_module(c->cx, copy, m->name, child);
    tocha_module_release(child);
  }
  if (ok) return copy;
  tocha_module_release(copy);
  return NULL;
}

tocha_module *tocha_module_copy_with(tocha_context *cx, const tocha_module *module,
                                     tocha_tensor *(*copy_data)(void *user, tocha_tensor *tensor),
                                     void *user) {
  copying c = {.cx = cx, .copy_data = copy_data, .user = user};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_module *copy = copy_module(&c, module);
  tocha_scope_end(cx, scope, NULL);
  tocha_deallocate(cx, c.pairs, (uint64_t)c.capacity * sizeof *c.pairs);
  return copy;
}

static tocha_tensor *clone_data(void *cx, tocha_tensor *tensor) {
  return tocha_clone(cx, tocha_detach(cx, tensor));
}

tocha_module *tocha_module_copy(tocha_context *cx, const tocha_module *module) {
  if (!module) return tocha_refuse_none(cx, "module_copy", "module", "Module");
  if (tocha_failed(cx)) return NULL;
  return tocha_module_copy_with(cx, module, clone_data, cx);
}
