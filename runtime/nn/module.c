/* module.c: modules as objects: creation, options, members. */
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
  return class_->op || (class_->code && class_->code->forward) || class_->call ||
         class_->container == TOCHA_CONTAINER_SEQUENTIAL;
}

bool tocha_module_is(const tocha_module *module, const tocha_module_class *class) {
  const tocha_module_class *c = module->class;
  while (c && c != class) c = tocha_find_module_class(c->base);
  return c != NULL;
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
  if (count && !(m->options = tocha_allocate_zeroed(cx, (uint64_t)count * sizeof *m->options)))
    goto failed;
  for (int i = 0; i < count; i++) { /* options own copies of default strings and lists */
    const tocha_parameter *p = &m->class->parameters[i];
    const char *string = p->default_value.value.string;
    tocha_arg *option = &m->options[i];
    if (p->kind != TOCHA_KIND_STRING && !p->default_value.count) {
      *option = p->default_value;
    } else if (p->kind == TOCHA_KIND_STRING && string) { /* lists remain empty until init */
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
  if (p->kind == TOCHA_KIND_MODULE) tocha_module_release(option->value.module);
  if (p->kind == TOCHA_KIND_STRING)
    tocha_deallocate_text(cx, (char *)option->value.string);
  else if (option->count)
    tocha_deallocate(cx, (void *)option->value.ints, (uint64_t)option->count * sizeof(int64_t));
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
  tocha_deallocate(cx, members->items, (uint64_t)members->capacity * sizeof *members->items);
}

tocha_module *tocha_module_retain(tocha_module *module) {
  if (module) tocha_refcount_retain(&module->references);
  return module;
}

void tocha_module_release(tocha_module *module) {
  if (!module || !tocha_refcount_release(&module->references)) return;
  tocha_context *cx = module->context;
  tocha_module_set_host_functions(module, NULL);
  free_members(cx, &module->parameters, false);
  free_members(cx, &module->buffers, false);
  free_members(cx, &module->children, true);
  int count = module->class->parameter_count;
  if (module->options) {
    for (int i = 0; i < count; i++)
      free_option(cx, &module->class->parameters[i], &module->options[i]);
    tocha_deallocate(cx, module->options, (uint64_t)count * sizeof *module->options);
  }
  tocha_deallocate_text(cx, module->name);
  tocha_deallocate(cx, module, sizeof *module);
  tocha_context_release(cx);
}

const char *tocha_module_name(const tocha_module *module) {
  if (!module) return NULL;
  return module->name ? module->name : module->class->name;
}
bool tocha_module_rename(tocha_module *module, const char *name) {
  if (!module) return false;
  char *copy = name ? tocha_copy_text(module->context, name) : NULL;
  if (name && !copy) return false;
  tocha_deallocate_text(module->context, module->name);
  module->name = copy;
  return true;
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
void tocha_module_set_host_functions(tocha_module *module, const tocha_host_functions *functions) {
  if (!module) return;
  tocha_host_functions old = module->host_functions;
  module->host_functions = functions ? *functions : (tocha_host_functions){0};
  if (old.release) old.release(old.data);
}
bool tocha_module_is_shared(const tocha_module *module) {
  return module && atomic_load_explicit(&module->references, memory_order_acquire) > 1;
}
const tocha_host_object *tocha_module_get_host_object(const tocha_module *module) {
  static const tocha_host_object none = {0};
  return module ? &module->host_object : &none;
}

/* --- options --------------------------------------------------------------------------------- */

tocha_arg *tocha_module_option(const tocha_module *module, const char *name) {
  if (!module || !name) return NULL;
  const tocha_parameter *p = module->class->parameters;
  const int count = module->class->parameter_count;
  for (int i = 0; i < count; i++)
    if (p[i].name == name) return &module->options[i]; /* equal literals usually are one string */
  for (int i = 0; i < count; i++)
    if (p[i].name[0] == name[0] && strcmp(p[i].name, name) == 0) return &module->options[i];
  return NULL;
}

bool tocha_module_set_option(tocha_context *cx, tocha_module *module, int index,
                             const tocha_arg *value) {
  if (!module) return tocha_refuse_none(cx, "module_set_option", "module", "Module");
  if (!value) return tocha_refuse_none(cx, "module_set_option", "value", "a value");
  if (index < 0 || index >= module->class->parameter_count)
    return tocha_fail(cx, TOCHA_INDEX_ERROR, "%s has no option %d", module->class->name, index);
  const tocha_parameter *p = &module->class->parameters[index];
  tocha_arg copy = *value;
  bool list = p->kind == TOCHA_KIND_INTS || p->kind == TOCHA_KIND_DIMS ||
              p->kind == TOCHA_KIND_SIZE || p->kind == TOCHA_KIND_FLOATS;
  if (!list || copy.count < 0) copy.count = 0;
  bool lost = (list && copy.count && !value->value.ints) ||
              (p->kind == TOCHA_KIND_STRING && !p->optional && !copy.value.string);
  if (lost)
    return tocha_refuse_none(cx, module->class->name, p->name, list ? "tuple of ints" : "str");
  if (p->kind == TOCHA_KIND_STRING && copy.value.string) {
    copy.value.string = tocha_copy_text(cx, copy.value.string);
    if (!copy.value.string) return false;
  } else if (list && copy.count) {
    bool spread =
        p->single && copy.count == 1 && !(p->words && value->value.ints[0] < -INT64_MAX / 2);
    if (spread && module->class->list_length) copy.count = module->class->list_length;
    int64_t *numbers = tocha_allocate(cx, (uint64_t)copy.count * sizeof *numbers); /* or doubles */
    if (!numbers) return false;
    for (int i = 0; i < copy.count; i++)
      memcpy(&numbers[i], &value->value.ints[copy.count == value->count ? i : 0], sizeof *numbers);
    copy.value.ints = numbers;
  }
  tocha_retain(copy.tensor);
  if (p->kind == TOCHA_KIND_MODULE) tocha_module_retain(copy.value.module);
  free_option(cx, p, &module->options[index]);
  module->options[index] = copy;
  return true;
}

bool tocha_module_init(tocha_context *cx, tocha_module *module, const tocha_arg *args) {
  if (!module) return tocha_refuse_none(cx, "module_init", "module", "Module");
  for (int i = 0; i < module->class->parameter_count; i++)
    if (!tocha_module_set_option(cx, module, i, &args[i])) return false;
  for (const tocha_rename *d = module->class->defaults; d && d->parameter; d++) {
    const tocha_arg *option = tocha_module_option(module, d->parameter);
    if (!option->given && !tocha_module_set_option(cx, module, (int)(option - module->options),
                                                   tocha_module_option(module, d->option)))
      return false;
  }
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

/* --- tensors --------------------------------------------------------------------------------- */

bool tocha_is_parameter(const tocha_tensor *tensor) {
  return tensor && tensor->flags & TOCHA_FLAG_PARAMETER;
}

tocha_tensor *tocha_parameter_new(tocha_context *cx, tocha_tensor *tensor, bool requires_grad) {
  if (!tensor || tocha_failed(cx)) return NULL;
  if (tocha_is_uninitialized(tensor))
    return tocha_refuse_without_data(cx, tensor,
                                     "<method 'detach' of 'torch._C.TensorBase' objects>")
               ? tensor
               : NULL;
  tocha_tensor *p = tocha_shallow(cx, tensor);
  if (!p) return NULL;
  p->flags = (uint16_t)((p->flags & ~TOCHA_FLAG_UNTRACKED) | TOCHA_FLAG_PARAMETER);
  return requires_grad ? tocha_set_requires_grad(cx, p, true) : p;
}

tocha_tensor *tocha_buffer_new(tocha_context *cx, tocha_tensor *tensor, bool persistent) {
  if (!tensor || tocha_failed(cx)) return NULL;
  tocha_tensor *b = tocha_shallow(cx, tensor);
  if (!b) return NULL;
  b->flags = (uint16_t)(b->flags | TOCHA_FLAG_BUFFER | (persistent ? 0 : TOCHA_FLAG_TRANSIENT));
  return tocha_requires_grad(tensor) ? tocha_set_requires_grad(cx, b, true) : b;
}

bool tocha_is_buffer(const tocha_tensor *tensor, bool *persistent) {
  if (!tensor || !(tensor->flags & TOCHA_FLAG_BUFFER)) return false;
  if (persistent) *persistent = !(tensor->flags & TOCHA_FLAG_TRANSIENT);
  return true;
}

tocha_tensor *tocha_uninitialized_new(tocha_context *cx, bool parameter, bool requires_grad,
                                      tocha_dtype dtype, tocha_device device) {
  static const int64_t nothing[1] = {0};
  tocha_tensor *empty = tocha_new(cx, 1, nothing, dtype, device);
  tocha_tensor *t = parameter ? tocha_parameter_new(cx, empty, requires_grad) : empty;
  if (!t || (requires_grad && !tocha_set_requires_grad(cx, t, true))) return NULL;
  t->flags |= TOCHA_FLAG_UNINITIALIZED;
  return t;
}

bool tocha_materialize(tocha_context *cx, tocha_tensor *tensor, tocha_tensor *data) {
  if (!tensor || !tocha_set_data(cx, tensor, data)) return false;
  tensor->flags &= (uint16_t)~TOCHA_FLAG_UNINITIALIZED;
  return true;
}

const char *tocha_old_type_name(const tocha_tensor *tensor, char out[48]) {
  if (!tensor || !out) return NULL;
  static const char *const places[] = {"", "cuda.", "meta.", "mps."};
  snprintf(out, 48, "torch.%s%sTensor", places[tensor->device.type],
           tocha_dtype_scalar_type(tensor->dtype));
  return out;
}
