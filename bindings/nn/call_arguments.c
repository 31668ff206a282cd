/* call_arguments.c: calls of modules whose forward takes more than tensors, or returns several (class->call):
 * the values of a Lua call become the arguments of the class's signature, and back. */
#include <string.h>

#include "lua/callback.h"
#include "arguments/functions.h"
#include "lua/guard.h"
#include "nn/module.h"
#include "tocha/reflect.h"

/* --- from Lua to C --------------------------------------------------------------------------- */

/* Raises Python's error for the use of a value that is no tensor. */
static void refuse_value(lua_State *L, int index) {
  enter_module_call(L, to_module(L, 1)); /* the error's path names this module */
  raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute 'dim'",
                python_type(L, index));
}

/* Reads the table of tensors at `index` into a new block on the stack. Raises if the value is no table, or an element
 * no tensor. [-0, +1, e] */
static void read_list(lua_State *L, int index, tocha_arg *arg) {
  int count = lua_istable(L, index) ? (int)lua_rawlen(L, index) : 0;
  tocha_tensor **list = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *list, 0);
  if (!lua_istable(L, index)) refuse_value(L, index);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    if (!(list[i] = to_tensor(L, -1))) refuse_value(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  *arg = (tocha_arg){.value.tensors = list, .count = count, .given = true};
}

/* Converts the value at `index` (0: none was given) to an argument of the kind of p, as a Python function would
 * use it. [-0, +?, e] */
static void read_value(lua_State *L, int index, const tocha_parameter *p, tocha_arg *arg) {
  *arg = p->default_value;
  if (!index || lua_isnil(L, index)) return;
  if (p->kind == TOCHA_KIND_TENSORS) {
    read_list(L, index, arg);
  } else if (p->kind == TOCHA_KIND_TENSOR) {
    *arg = (tocha_arg){.tensor = to_tensor(L, index), .given = true};
    if (!arg->tensor) refuse_value(L, index);
  } else {
    *arg = (tocha_arg){.value.flag = lua_toboolean(L, index), .given = true};
  }
}

/* Reads the values from index 2 on as the arguments of the class's call. [-0, +?, e] */
static void read_call(lua_State *L, const tocha_module_class *class, tocha_arg *args) {
  tocha_parameter parameters[TOCHA_MAX_PARAMETERS];
  tocha_arg values[TOCHA_MAX_PARAMETERS];
  const tocha_module_call_signature *wanted = class->call;
  memcpy(parameters, wanted->parameters, wanted->parameter_count * sizeof *parameters);
  for (int i = 0; i < wanted->parameter_count; i++) { /* Python functions check no kinds */
    parameters[i].optional = parameters[i].optional || parameters[i].has_default;
    parameters[i].has_default = false;
    parameters[i].kind = TOCHA_KIND_ANY;
  }
  char name[96];
  signature s = {.function = name_forward(class, name),
                 .parameters = parameters,
                 .count = wanted->parameter_count,
                 .positional = wanted->positional,
                 .constructor = true,
                 .python = true};
  argument_arena a = {.used = 0};
  mismatch why;
  call c = split_call(L, 2, 0);
  if (!fit_arguments(L, &s, &c, &a, values, &why)) {
    enter_module_call(L, to_module(L, 1)); /* the error's path names this module */
    complain_as_python(L, &s, &c);
    raise_mismatch(L, &s, &c, &why);
  }
  for (int i = 0; i < s.count; i++)
    read_value(L, any_index(&values[i]), &wanted->parameters[i], &args[i]);
}

int call_with_arguments(lua_State *L) {
  const module_box *box = to_module_box(L, 1);
  tocha_module *m = box ? box->module : NULL;
  const tocha_module_class *class = m ? tocha_module_class_of(m) : NULL;
  if (!class || !class->call) return raise_without_self(L, "Module", "forward");
  binding *b = settled(L, box->binding);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  tocha_results results;
  read_call(L, class, args);
  tocha_scope scope = tocha_scope_begin(b->cx);
  if (!tocha_module_call_arguments(b->cx, m, args, true, &results)) {
    tocha_scope_end(b->cx, scope, NULL);
    return raise_error(L);
  }
  need_stack(L, results.count + 4);
  for (int i = 0; i < results.count; i++) {
    if (results.fixed[i])
      push_new_tensor(L, b, results.fixed[i]);
    else
      lua_pushnil(L); /* not asked for */
  }
  tocha_scope_end(b->cx, scope, NULL);
  return results.count;
}

/* --- from C to Lua --------------------------------------------------------------------------- */

typedef struct arguments_call {
  tocha_module *module;
  const tocha_arg *args;
  tocha_results *results;
} arguments_call;

/* Pushes an argument as a Lua value. [-0, +1, e] */
static void push_argument(lua_State *L, binding *b, const tocha_parameter *p,
                          const tocha_arg *arg) {
  if (p->kind == TOCHA_KIND_TENSOR && arg->tensor) {
    push_new_tensor(L, b, arg->tensor);
  } else if (p->kind == TOCHA_KIND_TENSORS && arg->given) {
    lua_createtable(L, arg->count, 0);
    for (int i = 0; i < arg->count; i++) {
      push_new_tensor(L, b, arg->value.tensors[i]);
      lua_rawseti(L, -2, i + 1);
    }
  } else if (p->kind == TOCHA_KIND_BOOL && arg->given) {
    lua_pushboolean(L, arg->value.flag);
  } else {
    lua_pushnil(L);
  }
}

/* Adds the value at the top to the results: a tensor, nil, or a table of these. Returns false for anything else.
 * [-0, +0, e] */
static bool add_result(lua_State *L, binding *b, tocha_results *results, int *count) {
  tocha_tensor *t = to_tensor(L, -1);
  if (*count >= results->count) return false;
  if (t || lua_isnil(L, -1)) {
    if (t) results->fixed[*count] = tocha_scope_push(b->cx, tocha_retain(t));
    (*count)++;
    return !t || results->fixed[*count - 1];
  }
  bool ok = lua_istable(L, -1);
  for (int i = 1; ok && lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
    ok = add_result(L, b, results, count);
    lua_pop(L, 1);
  }
  if (lua_isnil(L, -1)) lua_pop(L, 1);
  return ok;
}

/* Returns true if an argument that is given by its name alone is not omitted. */
static bool any_given(const tocha_module_call_signature *wanted, const tocha_arg *args) {
  bool given = false;
  for (int i = wanted->positional; i < wanted->parameter_count; i++) given |= args[i].given;
  return given;
}

static bool call_arguments(lua_State *L, binding *b, void *argument) {
  arguments_call *c = argument;
  const tocha_module_call_signature *wanted = tocha_module_class_of(c->module)->call;
  need_stack(L, wanted->parameter_count + 8);
  push_module(L, c->module);
  int first = lua_gettop(L), count = 0;
  for (int i = 0; i < wanted->positional; i++)
    push_argument(L, b, &wanted->parameters[i], &c->args[i]);
  while (lua_gettop(L) > first && lua_isnil(L, -1)) lua_pop(L, 1);
  if (any_given(wanted, c->args)) {
    lua_newtable(L);
    for (int i = wanted->positional; i < wanted->parameter_count; i++) {
      push_argument(L, b, &wanted->parameters[i], &c->args[i]);
      lua_setfield(L, -2, wanted->parameters[i].name);
    }
  }
  lua_call(L, lua_gettop(L) - first, LUA_MULTRET);
  for (int i = first, last = lua_gettop(L); i <= last; i++) {
    lua_pushvalue(L, i);
    if (!add_result(L, b, c->results, &count) && !tocha_failed(b->cx))
      tocha_fail(b->cx, TOCHA_TYPE_ERROR, "forward of %s returned %s, where C wants a tensor",
                 tocha_module_name(c->module), python_type(L, i));
    lua_pop(L, 1);
  }
  return !tocha_failed(b->cx) && c->results->fixed[0];
}

bool host_object_call(tocha_context *cx, void *data, tocha_module *module, const tocha_arg *args,
                      tocha_results *results) {
  arguments_call c = {module, args, results};
  binding *b = living_binding(data, cx);
  return b && call_back(b, 0, 0, call_arguments, &c);
}
