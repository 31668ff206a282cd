/* forward.c: calls modules: the operator that a class names, containers and host objects; and keeps
 * the path of the calls in progress for error messages. */
#include <stdio.h>
#include <string.h>

#include "device/devices.h"
#include "dispatch/required_arguments.h"
#include "nn/call.h"
#include "nn/construct.h"
#include "nn/module.h"

/* --- the calls in progress ------------------------------------------------------------------- */

bool tocha_module_enter(tocha_context *cx, tocha_module *module) {
  if (!cx || !module) return false;
  if (cx->module_call_count == cx->module_call_capacity) {
    int capacity = cx->module_call_capacity ? 2 * cx->module_call_capacity : 16;
    tocha_module **calls = tocha_allocate(cx, (uint64_t)capacity * sizeof *calls);
    if (!calls) return false;
    if (cx->module_call_count)
      memcpy(calls, cx->module_calls, (size_t)cx->module_call_count * sizeof *calls);
    tocha_deallocate(cx, cx->module_calls,
                     (size_t)cx->module_call_capacity * sizeof *cx->module_calls);
    cx->module_calls = calls;
    cx->module_call_capacity = capacity;
  }
  cx->module_calls[cx->module_call_count++] = tocha_module_retain(module);
  return true;
}

void tocha_module_unwind(tocha_context *cx, int depth) {
  if (!cx) return;
  while (cx->module_call_count > depth && cx->module_call_count > 0)
    tocha_module_release(cx->module_calls[--cx->module_call_count]);
}

void tocha_module_leave(tocha_context *cx, const tocha_module *module) {
  if (!cx) return;
  /* calls that an error interrupted come after the one that ends */
  for (int i = cx->module_call_count - 1; i >= 0; i--) {
    if (cx->module_calls[i] == module) {
      tocha_module_unwind(cx, i);
      return;
    }
  }
}

int tocha_module_depth(const tocha_context *cx) { return cx ? cx->module_call_count : 0; }

enum { PATH_ROOM = 512, DEEPEST = 64 };

/* Appends the path from module down to target, such as ".3.fc". Returns false if target is not
 * below module. */
static bool find_below(const tocha_module *module, const tocha_module *target, char *path,
                       int depth) {
  size_t used = strlen(path);
  for (int pass = 0; pass < 2; pass++) { /* direct children first */
    for (int i = 0; i < module->children.count; i++) {
      const tocha_member *c = &module->children.items[i];
      if (!c->value) continue;
      snprintf(path + used, PATH_ROOM - used, ".%s", c->name);
      if (pass == 0 ? c->value == (void *)target
                    : depth < DEEPEST && find_below(c->value, target, path, depth + 1))
        return true;
      path[used] = '\0';
    }
  }
  return false;
}

const char *tocha_module_path(tocha_context *cx, const char *root, char *text, size_t capacity) {
  if (!text || !capacity) return NULL;
  char path[PATH_ROOM];
  text[0] = '\0';
  const tocha_module *previous = NULL;
  for (int i = 0; i < cx->module_call_count; i++) {
    const tocha_module *m = cx->module_calls[i];
    if (m == previous) continue; /* a derived class calls its base's forward */
    if (!previous || !find_below(previous, m, path, 0)) {
      /* the outermost call, or a module that is not part of its caller */
      snprintf(path, sizeof path, "%s", !previous && root ? root : tocha_module_name(m));
    }
    previous = m;
  }
  if (previous) snprintf(text, capacity, "%s (%s)", path, tocha_module_name(previous));
  return text;
}

/* --- an operator's arguments ----------------------------------------------------------------- */

static const char *option_name(const tocha_module_class *class, const char *parameter) {
  for (const tocha_rename *r = class->renames; r && r->parameter; r++)
    if (strcmp(r->parameter, parameter) == 0) return r->option;
  return parameter;
}

/* Returns the operator, or its in-place form if the module has inplace = true and the operator has
 * no such parameter. */
static const tocha_op *find_form(const tocha_context *cx, const tocha_module *module,
                                 const char *name) {
  const tocha_op *op = tocha_operator_named(cx, name);
  char inplace[64];
  if (!op || !tocha_option_flag(module, "inplace")) return op;
  for (int i = 0; i < op->parameter_count; i++)
    if (strcmp(op->parameters[i].name, "inplace") == 0) return op;
  snprintf(inplace, sizeof inplace, "%s_", name);
  return tocha_operator_named(cx, inplace);
}

static bool find_operator(tocha_context *cx, tocha_module *module) {
  const tocha_module_class *class = module->class;
  module->op = find_form(cx, module, class->op);
  return module->op || tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                                  "the operator %s of %s is not there", class->op, class->name);
}

static bool is_number(int kind) {
  return kind == TOCHA_KIND_SCALAR || kind == TOCHA_KIND_FLOAT || kind == TOCHA_KIND_INT ||
         kind == TOCHA_KIND_DIM || kind == TOCHA_KIND_INDEX;
}

/* Returns the number of an option of any numeric kind. */
static tocha_scalar number_of(int kind, const tocha_arg *a) {
  if (kind == TOCHA_KIND_SCALAR) return a->value.scalar;
  return kind == TOCHA_KIND_FLOAT ? tocha_float(a->value.real) : tocha_int(a->value.integer);
}

/* Returns an option converted to the kind of the operator's parameter. */
static tocha_arg converted(const tocha_parameter *want, const tocha_parameter *have,
                           const tocha_arg *option) {
  tocha_arg a = *option;
  a.tensor = NULL;
  if (want->kind == have->kind || !is_number(have->kind)) return a;
  tocha_scalar number = number_of(have->kind, option);
  if (want->kind == TOCHA_KIND_FLOAT)
    a.value.real = tocha_scalar_real(number);
  else if (want->kind == TOCHA_KIND_SCALAR || want->kind == TOCHA_KIND_OPERAND)
    a.value.scalar = number;
  else
    a.value.integer =
        number.kind == TOCHA_SCALAR_FLOAT ? (int64_t)number.value.real : number.value.integer;
  return a;
}

/* Returns the dimension that PyTorch chooses for softmax if dim is omitted. Warns. */
static int64_t implicit_dim(tocha_context *cx, const tocha_op *op, const tocha_tensor *input) {
  tocha_warn(cx,
             "Implicit dimension choice for %s has been deprecated. Change the call to include "
             "dim=X as an argument.",
             op->lua_name);
  return input->ndim == 0 || input->ndim == 1 || input->ndim == 3 ? 0 : 1;
}

/* Reads the member for operator argument `number`. Fails if the operator requires it and the member
 * is missing or None. */
static bool read_member(tocha_context *cx, const tocha_module *module, const tocha_op *op,
                        int number, tocha_arg *arg) {
  const tocha_parameter *p = &op->parameters[number];
  const char *name = option_name(module->class, p->name);
  if (tocha_module_member(module, name, &arg->tensor, NULL) == TOCHA_NO_MEMBER)
    arg->tensor = tocha_module_computed(cx, module, name);
  arg->given = arg->tensor != NULL;
  if (tocha_has_failed(cx)) return false;
  if (arg->given || p->optional) return true;
  if (tocha_module_find_tensor(cx, module, name, &arg->tensor))
    tocha_fail(cx, TOCHA_TYPE_ERROR,
               "%s(): argument '%s' (position %d) must be Tensor, not NoneType", op->lua_name,
               p->name, number + 1);
  return false;
}

static bool call_operator(tocha_context *cx, tocha_module *module, int count,
                          tocha_tensor *const *inputs, tocha_results *results) {
  const tocha_module_class *class = module->class;
  if (!module->op && !find_operator(cx, module)) return false;
  const tocha_op *op = module->op;
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  tocha_tensor *found[TOCHA_MAX_PARAMETERS], *const *before = tocha_found_before(module, op);
  int members = 0;
  for (int i = 0; i < op->parameter_count; i++) {
    const tocha_parameter *p = &op->parameters[i];
    int from = class->op_arguments[i];
    if (from >= TOCHA_FROM_OPTIONS) {
      int option = from - TOCHA_FROM_OPTIONS;
      args[i] = converted(p, &class->parameters[option], &module->options[option]);
      if (p->kind == TOCHA_KIND_DIM && !args[i].given && !p->optional && count) {
        args[i].value.integer = implicit_dim(cx, op, inputs[0]);
        args[i].given = true;
      }
    } else if (from >= 0) {
      tocha_tensor *input = from < count ? inputs[from] : NULL;
      args[i] = (tocha_arg){.tensor = input, .given = input != NULL};
    } else if (from == TOCHA_FROM_MEMBER) {
      args[i] = (tocha_arg){.tensor = before ? before[members] : NULL};
      if (!before && !read_member(cx, module, op, i, &args[i])) return false;
      args[i].given = args[i].tensor != NULL;
      found[members++] = args[i].tensor;
    } else if (from == TOCHA_FROM_TRAINING) {
      args[i] = (tocha_arg){.value.flag = module->training, .given = true};
    } else {
      args[i] = p->default_value;
    }
  }
  if (!before) tocha_note_found(module, op, members, found);
  return tocha_call(cx, op, args, results);
}

tocha_tensor *tocha_module_call_operator(tocha_context *cx, tocha_module *module, int count,
                                         tocha_tensor *const *inputs) {
  tocha_results results;
  return call_operator(cx, module, count, inputs, &results) ? results.fixed[0] : NULL;
}

/* --- forward --------------------------------------------------------------------------------- */

static tocha_tensor *run_sequence(tocha_context *cx, tocha_module *module,
                                  tocha_tensor *const *inputs) {
  tocha_tensor *x = inputs[0];
  const tocha_members *children = &module->children;
  for (int i = 0; x && i < children->count; i++) {
    tocha_module *child = children->items[i].value;
    tocha_module *next = i + 1 < children->count ? children->items[i + 1].value : NULL;
    if (!child) continue;
    if (next && tocha_is_on_device(x) && tocha_linear_and_activation(cx, child, next, x, &x))
      i++;
    else
      x = tocha_module_forward(cx, child, 1, &x);
  }
  return x;
}

static bool check_inputs(tocha_context *cx, const tocha_module *module, int count,
                         tocha_tensor *const *inputs) {
  const tocha_module_class *class = module->class;
  if (count < 0) count = 0;
  for (int i = 0; i < count; i++)
    if (!inputs ||
        (!inputs[i] &&
         i < class->input_count -
                 class->optional_inputs)) { /* a failed call, or a mistake of the host program */
      tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.forward(): argument %d must be Tensor, not NoneType",
                 class->name, i + 1);
      return false;
    }
  int required = class->input_count - class->optional_inputs;
  if (count >= required && count <= class->input_count) return true;
  if (count < required)
    tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.forward() missing %d required positional argument%s: '%s'",
               class->name, required - count, required - count > 1 ? "s" : "",
               class->inputs[count]);
  else
    tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.forward() takes %d positional arguments but %d were given",
               class->name, class->input_count + 1, count + 1);
  return false;
}

/* A call in progress: its inputs, or the complete arguments of the class's call signature.
 * builtin: the forward of the class, not that of the host object. */
typedef struct module_call {
  int count;
  tocha_tensor *const *inputs;
  const tocha_arg *args;
  bool builtin;
} module_call;

/* Fails if a function of the program's failed without an error. */
static bool refuse_silence(tocha_context *cx, const tocha_module *module) {
  char function[PATH_ROOM];
  snprintf(function, sizeof function, "the forward of %s", tocha_module_name(module));
  return tocha_refuse_silence(cx, function);
}

static bool host_forward(tocha_context *cx, tocha_module *module, const module_call *c,
                         tocha_results *results) {
  const tocha_host_object *o = &module->host_object;
  const tocha_module_class *class = module->class;
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  if (class->call && o->call) {
    results->count = class->call->result_count;
    if (!c->args && !tocha_arguments_of_inputs(cx, class, c->count, c->inputs, args)) return false;
    return o->call(cx, o->data, module, c->args ? c->args : args, results) ||
           refuse_silence(cx, module);
  }
  tocha_tensor *inputs[TOCHA_MAX_PARAMETERS];
  int count = c->args ? tocha_inputs_of_arguments(cx, class, c->args, inputs) : c->count;
  if (count < 0) return false;
  results->fixed[0] = o->forward(cx, o->data, module, count, c->args ? inputs : c->inputs);
  return results->fixed[0] || refuse_silence(cx, module);
}

/* Runs the forward of a class with a call signature. */
static bool run(tocha_context *cx, tocha_module *module, const module_call *c,
                tocha_results *results) {
  const tocha_module_class *class = module->class;
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  results->count = class->call->result_count;
  if (!c->args && !tocha_arguments_of_inputs(cx, class, c->count, c->inputs, args)) return false;
  const tocha_arg *complete = c->args ? c->args : args;
  return tocha_check_call(cx, class, complete) && class->code->run(cx, module, complete, results) &&
         !tocha_has_failed(cx);
}

static bool forward(tocha_context *cx, tocha_module *module, const module_call *c,
                    tocha_results *results) {
  const tocha_module_class *class = module->class;
  if (module->host_object.forward && !c->builtin) return host_forward(cx, module, c, results);
  if (!tocha_module_class_has_forward(class))
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "Module [%s] is missing the required \"forward\" function",
                      tocha_module_name(module));
  if (class->call) return run(cx, module, c, results);
  if (!check_inputs(cx, module, c->count, c->inputs)) return false;
  if (class->container != TOCHA_CONTAINER_SEQUENTIAL && !class->code->forward)
    return call_operator(cx, module, c->count, c->inputs, results);
  results->fixed[0] = class->container == TOCHA_CONTAINER_SEQUENTIAL
                          ? run_sequence(cx, module, c->inputs)
                          : class->code->forward(cx, module, c->count, c->inputs);
  return results->fixed[0];
}

/* Ends the scope. Moves all results of a call to the outer scope. */
static bool leave_scope(tocha_context *cx, tocha_scope scope, bool ok, tocha_results *results) {
  int count = results->count;
  for (int i = 1; ok && i < count; i++) tocha_retain(results->fixed[i]);
  results->fixed[0] = tocha_scope_end(cx, scope, ok ? results->fixed[0] : NULL);
  ok = results->fixed[0] != NULL;
  for (int i = 1; ok && i < count; i++)
    if (results->fixed[i]) ok = tocha_scope_push(cx, results->fixed[i]) != NULL;
  return ok;
}

static bool call(tocha_context *cx, tocha_module *module, const module_call *c,
                 tocha_results *results) {
  memset(results->fixed, 0, sizeof results->fixed);
  results->tensors = results->fixed;
  results->count = 1;
  if (tocha_has_failed(cx) || tocha_interrupted(cx) || !tocha_module_enter(cx, module))
    return false;
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = forward(cx, module, c, results);
  if (!ok && tocha_has_failed(cx) && !tocha_error(cx)->path[0]) {
    char path[PATH_ROOM];
    tocha_fail_in(cx, tocha_module_path(cx, NULL, path, sizeof path));
  }
  ok = leave_scope(cx, scope, ok && !tocha_has_failed(cx), results);
  tocha_module_leave(cx, module);
  return ok;
}

tocha_tensor *tocha_module_forward(tocha_context *cx, tocha_module *module, int count,
                                   tocha_tensor *const *inputs) {
  if (!module) return tocha_refuse_none(cx, "module_forward", "module", "Module");
  tocha_results results;
  const module_call c = {.count = count, .inputs = inputs};
  return call(cx, module, &c, &results) ? results.fixed[0] : NULL;
}

tocha_tensor *tocha_module_forward_builtin(tocha_context *cx, tocha_module *module, int count,
                                           tocha_tensor *const *inputs) {
  if (!module) return tocha_refuse_none(cx, "module_forward_builtin", "module", "Module");
  tocha_results results;
  const module_call c = {.count = count, .inputs = inputs, .builtin = true};
  return call(cx, module, &c, &results) ? results.fixed[0] : NULL;
}

bool tocha_module_forward_results(tocha_context *cx, tocha_module *module, int count,
                                  tocha_tensor *const *inputs, tocha_results *results) {
  if (!module) return tocha_refuse_none(cx, "module_forward_results", "module", "Module");
  if (!results) return tocha_refuse_none(cx, "module_forward_results", "results", "results");
  const module_call c = {.count = count, .inputs = inputs, .builtin = true};
  return call(cx, module, &c, results);
}

bool tocha_module_call_arguments(tocha_context *cx, tocha_module *module, const tocha_arg *args,
                                 bool builtin, tocha_results *results) {
  if (!module) return tocha_refuse_none(cx, "module_call_arguments", "module", "Module");
  if (!args || !results || !module->class->call)
    return tocha_refuse_none(cx, "module_call_arguments", "args", "the arguments of a call");
  const module_call c = {.args = args, .builtin = builtin};
  return call(cx, module, &c, results);
}

/* Calls the host's function, and names the module in the path of an error. */
static int call_host(tocha_context *cx, tocha_module *module, int count,
                     tocha_tensor *const *inputs, int capacity, tocha_tensor **results) {
  const tocha_host_functions *f = &module->host_functions;
  if (tocha_has_failed(cx) || tocha_interrupted(cx) || !tocha_module_enter(cx, module)) return -1;
  int all = f->call(cx, f->data, module, count, inputs, capacity, results);
  if (all < 0 && !tocha_has_failed(cx)) tocha_refuse_silence(cx, tocha_module_name(module));
  if (all < 0 && !tocha_error(cx)->path[0]) {
    char path[PATH_ROOM];
    tocha_fail_in(cx, tocha_module_path(cx, NULL, path, sizeof path));
  }
  tocha_module_leave(cx, module);
  return all;
}

int tocha_module_call_all(tocha_context *cx, tocha_module *module, int count,
                          tocha_tensor *const *inputs, int capacity, tocha_tensor **results) {
  if (!module) tocha_refuse_none(cx, "module_call_all", "module", "Module");
  if (!results && capacity > 0) tocha_refuse_none(cx, "module_call_all", "results", "a list");
  if (!module || tocha_has_failed(cx)) return -1;
  if (module->host_functions.call) return call_host(cx, module, count, inputs, capacity, results);
  tocha_results all;
  const module_call c = {.count = count, .inputs = inputs};
  if (!call(cx, module, &c, &all)) return -1;
  while (all.count > 1 && !all.fixed[all.count - 1]) all.count--;
  for (int i = 0; i < all.count && i < capacity; i++) results[i] = all.fixed[i];
  return all.count;
}

bool tocha_module_call_many(tocha_context *cx, tocha_module *module, int count,
                            tocha_tensor *const *inputs, tocha_tensors *results) {
  if (!results) return tocha_refuse_none(cx, "module_call_many", "results", "tensors");
  *results = (tocha_tensors){0};
  tocha_results called = {.tensors = called.fixed};
  called.count = tocha_module_call_all(cx, module, count, inputs, TOCHA_MAX_RESULTS, called.fixed);
  if (called.count > TOCHA_MAX_RESULTS)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s returned %d values; at most %d can be returned",
                      tocha_module_name(module), called.count, TOCHA_MAX_RESULTS);
  return called.count >= 0 && tocha_tensors_of_results(cx, &called, results);
}

tocha_tensor *tocha_module_call(tocha_context *cx, tocha_module *module, tocha_tensor *input) {
  if (!input) return NULL;
  return tocha_module_forward(cx, module, 1, &input);
}
