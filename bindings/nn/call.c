/* call.c: calls of modules: from Lua to C and back, hooks, and the path that errors report.
 *
 * A module whose forward is written in Lua is on the runtime's list of calls while it runs
 * (lua/guard.c). Its __close takes it off the list, so that an error that passes through does
 * so, too. */
#include <stdio.h>
#include <string.h>

#include "lua/callback.h"
#include "arguments/functions.h"
#include "lua/guard.h"
#include "nn/module.h"

/* --- calling back from C --------------------------------------------------------------------- */

typedef struct forward_call {
  tocha_module *module;
  int input_count;
  tocha_tensor *const *inputs;
  int capacity;
  tocha_tensor **results;
  int count;        /* of all results */
  const char *type; /* of the first result */
} forward_call;

/* Takes a result, and those in a table one after the other. */
static bool take_result(lua_State *L, tocha_context *cx, int index, forward_call *c) {
  tocha_tensor *t = to_tensor(L, index);
  if (!t && lua_type(L, index) == LUA_TTABLE) {
    need_stack(L, 2);
    int n = table_length(L, index);
    for (int i = 1; i <= n; i++) {
      lua_rawgeti(L, index, i);
      if (!take_result(L, cx, lua_gettop(L), c)) return false;
      lua_pop(L, 1);
    }
    return true;
  }
  if (c->count < c->capacity) {
    c->results[c->count] = t ? tocha_scope_push(cx, tocha_retain(t)) : NULL;
    if (t && !c->results[c->count]) return false;
  }
  c->count++;
  return true;
}

static bool call_forward(lua_State *L, binding *b, void *argument) {
  forward_call *c = argument;
  need_stack(L, c->input_count + 8);
  push_module(L, c->module);
  for (int i = 0; i < c->input_count; i++) {
    if (c->inputs[i])
      tocha_lua_push_tensor(L, c->inputs[i]);
    else
      lua_pushnil(L);
  }
  lua_call(L, c->input_count, LUA_MULTRET);
  int top = lua_gettop(L);
  c->type = top > 0 ? python_type(L, 1) : "NoneType";
  for (int i = 1; i <= top; i++)
    if (!take_result(L, b->cx, i, c)) return false;
  return true;
}

tocha_tensor *host_object_forward(tocha_context *cx, void *data, tocha_module *module, int count,
                                  tocha_tensor *const *inputs) {
  tocha_tensor *result = NULL;
  forward_call c = {module, count, inputs, 1, &result, 0, ""};
  binding *b = living_binding(data, cx);
  if (!b || !call_back(b, 0, 0, call_forward, &c)) return NULL;
  if (c.count > 0 && result) return result;
  return tocha_fail(cx, TOCHA_TYPE_ERROR, "forward of %s returned %s, where C wants a tensor",
                    tocha_module_name(module), c.type);
}

static int host_object_call_all(tocha_context *cx, void *data, tocha_module *module, int count,
                                tocha_tensor *const *inputs, int capacity, tocha_tensor **results) {
  forward_call c = {module, count, inputs, capacity, results, 0, ""};
  binding *b = living_binding(data, cx);
  return b && call_back(b, 0, 0, call_forward, &c) ? c.count : -1;
}

void set_lua_object(lua_State *L, tocha_module *module, tocha_host_object object) {
  lifeline *line = hold_lifeline(binding_of(L));
  tocha_host_functions functions = {object.forward ? host_object_call_all : NULL, release_lifeline,
                                    line};
  object.data = line;
  tocha_module_set_host_object(module, &object);
  tocha_module_set_host_functions(module, &functions);
}

typedef struct attribute_call {
  tocha_module *module;
  const char *name;
  tocha_tensor *result;
} attribute_call;

static bool call_attribute(lua_State *L, binding *b, void *argument) {
  attribute_call *c = argument;
  push_module(L, c->module);
  lua_getfield(L, -1, c->name);
  tocha_tensor *t = to_tensor(L, -1);
  if (t) c->result = tocha_scope_push(b->cx, tocha_retain(t));
  return !t || c->result;
}

tocha_tensor *host_object_attribute(tocha_context *cx, void *data, tocha_module *module,
                                    const char *name) {
  attribute_call c = {module, name, NULL};
  binding *b = living_binding(data, cx);
  return b && call_back(b, 0, 0, call_attribute, &c) ? c.result : NULL;
}

/* Returns true if a program in C has given the module its forward; the object's data is the program's then. */
static bool is_forward_of_program(const tocha_host_object *host_object) {
  return host_object->forward && host_object->forward != host_object_forward;
}

void compute_members_of(lua_State *L, tocha_module *module) {
  tocha_host_object host_object = *tocha_module_get_host_object(module);
  if (host_object.attribute || is_forward_of_program(&host_object)) return;
  host_object.attribute = host_object_attribute;
  set_lua_object(L, module, host_object);
}

int module_extra_repr(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  tocha_host_object host_object = *tocha_module_get_host_object(m), none = {0};
  tocha_module_set_host_object(m, &none);
  char *text = tocha_module_extra_repr(CX(L), m);
  tocha_module_set_host_object(m, &host_object);
  return push_text(L, text);
}

typedef struct text_call {
  tocha_module *module;
  const char *method;
  char *text;
} text_call;

static bool call_for_text(lua_State *L, binding *b, void *argument) {
  text_call *c = argument;
  push_module(L, c->module);
  lua_getiuservalue(L, 1, MODULE_CLASS);
  if (lua_type(L, 2) != LUA_TTABLE || lua_getfield(L, 2, c->method) != LUA_TFUNCTION ||
      lua_tocfunction(L, -1) == module_extra_repr)
    return true;
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  const char *own = lua_tostring(L, -1);
  c->text = tocha_new_text(own ? own : "");
  if (!c->text) return tocha_fail(b->cx, TOCHA_MEMORY_ERROR, "not enough memory") != NULL;
  return true;
}

/* Returns the text that a method of a class written in Lua returns, of tocha_new_text, or
 * NULL if there is no such method, or with an error set. */
static char *text_of(tocha_context *cx, void *data, tocha_module *module, const char *method) {
  text_call c = {module, method, NULL};
  binding *b = living_binding(data, cx);
  if (b) call_back(b, 0, 0, call_for_text, &c);
  return c.text;
}

char *host_object_extra_repr(tocha_context *cx, void *data, tocha_module *module) {
  return text_of(cx, data, module, "extra_repr");
}

char *host_object_repr(tocha_context *cx, void *data, tocha_module *module) {
  return text_of(cx, data, module, "__tostring");
}

/* --- calling --------------------------------------------------------------------------------- */

/* Returns true if C alone can run the module's own forward. Returns false with an error set if
 * the program was interrupted. */
static bool all_in_c(tocha_context *cx, const tocha_module *m) {
  if (tocha_interrupted(cx) || any_global_hooks()) return false;
  for (int i = 0; i < tocha_module_child_count(m); i++) {
    const tocha_module *child = tocha_module_child(m, i);
    if (!child) continue;
    if (tocha_module_get_host_object(child)->forward) return false;
    if (tocha_module_class_of(child)->container == TOCHA_CONTAINER_SEQUENTIAL &&
        !all_in_c(cx, child))
      return false;
  }
  return true;
}

/* Returns the number of values above the module, the results of its forward. Also called as the
 * continuation if it yielded. */
static int end_forward(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L) - 1;
}

/* (module, values...) Passes the values through the children from number `first` on. Also called
 * as the continuation if a child yielded. */
static int run_children(lua_State *L, int status, lua_KContext first) {
  const tocha_module *m = check_module(L, 1);
  (void)status;
  for (int i = (int)first; i < tocha_module_child_count(m); i++) {
    int n = lua_gettop(L) - 1;
    tocha_module *child = tocha_module_child(m, i);
    if (!child) continue;
    push_module(L, child);
    lua_insert(L, 2);
    lua_callk(L, n, LUA_MULTRET, i + 1, run_children);
  }
  return lua_gettop(L) - 1;
}

/* (module, inputs...) Runs a Sequential that has parts in Lua, or whose input is something other
 * than one tensor. */
static int run_sequence(lua_State *L) {
  int given = lua_gettop(L) - 1;
  enter_module_call(L, to_module(L, 1));
  if (given > 1)
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "Sequential.forward() takes 2 positional arguments but %d were given",
                         given + 1);
  return run_children(L, LUA_OK, 0);
}

enum { MAX_INPUTS = 8 };

const char *name_forward(const tocha_module_class *class, char name[96]) {
  static const char forward[] = ".forward";
  size_t length = strlen(class->name), most = 96 - sizeof forward;
  if (length > most) length = most;
  memcpy(name, class->name, length);
  memcpy(name + length, forward, sizeof forward);
  return name;
}

/* Returns the signature of a call of a module of the list, whose inputs may be any values.
 * `name` is the memory for the name in messages. */
static signature input_signature(const tocha_module_class *class, tocha_parameter *parameters,
                                 char name[96]) {
  memset(parameters, 0, MAX_INPUTS * sizeof *parameters);
  for (int i = 0; i < class->input_count; i++) {
    parameters[i].name = class->inputs[i];
    parameters[i].kind = TOCHA_KIND_ANY;
    parameters[i].optional = i >= class->input_count - class->optional_inputs;
  }
  signature s = {.function = name_forward(class, name),
                 .parameters = parameters,
                 .count = (uint8_t) class->input_count,
                 .positional = (uint8_t) class->input_count,
                 .constructor = true,
                 .python = true};
  return s;
}

/* Raises Python's error for a call with the wrong inputs. */
static void refuse_inputs(lua_State *L, const tocha_module_class *class, const call *c) {
  tocha_parameter parameters[MAX_INPUTS];
  char name[96];
  signature s = input_signature(class, parameters, name);
  enter_module_call(L, to_module(L, 1)); /* the error's path names this module */
  complain_as_python(L, &s, c);
}

/* Moves keyword arguments, from index 2 on, to their places, and returns the number of inputs.
 * [-?, +?, e] */
static int place_inputs(lua_State *L, const tocha_module_class *class) {
  tocha_parameter parameters[MAX_INPUTS];
  tocha_arg args[MAX_INPUTS];
  argument_arena a;
  mismatch why;
  char name[96];
  signature s = input_signature(class, parameters, name);
  call c = split_call(L, 2, 0);
  if (!c.kw) return c.n;
  a.used = 0;
  if (!fit_arguments(L, &s, &c, &a, args, &why)) refuse_inputs(L, class, &c);
  for (int i = 0; i < s.count; i++) {
    if (any_index(&args[i]))
      lua_pushvalue(L, any_index(&args[i]));
    else
      lua_pushnil(L);
  }
  for (int i = s.count; i > 0; i--) lua_replace(L, i + 1);
  lua_settop(L, s.count + 1);
  return s.count;
}

/* Returns true if C can take the n inputs of a class that has a script for others. */
static bool inputs_of_c(lua_State *L, const tocha_module_class *class, int n) {
  int required = class->input_count - class->optional_inputs;
  if (!tocha_module_class_has_forward(class) || n < required || n > class->input_count)
    return false;
  for (int i = 0; i < n; i++)
    if (!to_tensor(L, i + 2) && !(lua_isnil(L, i + 2) && i >= required)) return false;
  return true;
}

/* (module, inputs...) Runs the part of the class's forward that is written in Lua. The part is
 * found once and kept in the class. */
static int run_script(lua_State *L, const tocha_module_class *class) {
  enter_module_call(L, to_module(L, 1));
  push_class(L, class);
  if (lua_getfield(L, -1, "_script") == LUA_TNIL) {
    lua_pop(L, 1);
    if (!push_part(L, lua_pushfstring(L, "nn.forward.%s", class->script)))
      return luaL_error(L, "torch: no part named 'nn.forward.%s'", class->script);
    lua_getfield(L, -1, class->name);
    lua_replace(L, -3);
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "_script");
  }
  lua_replace(L, -2);
  lua_insert(L, 2); /* the value at index 1 is closed on return */
  lua_pushvalue(L, 1);
  lua_insert(L, 3);
  lua_callk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, end_forward);
  return end_forward(L, LUA_OK, 0);
}

/* Pushes the results of a forward in C and returns their number. If the input comes back, pushes
 * its userdata. [-0, +results, m] */
static int push_results(lua_State *L, binding *b, const tocha_results *results,
                        const tocha_tensor *input) {
  for (int i = 0; i < results->count; i++) {
    if (results->fixed[i] == input)
      lua_pushvalue(L, 2);
    else if (results->fixed[i] || i + 1 < results->count)
      push_new_tensor(L, b, results->fixed[i]);
    else
      return i; /* indices that were not asked for */
  }
  return results->count;
}

/* Raises the error for input i, which is not a tensor, as the function that the module calls
 * words it. */
static void refuse_input(lua_State *L, const tocha_module *m, int i) {
  const tocha_module_class *class = tocha_module_class_of(m);
  const char *name = class->op ? class->op : class->name;
  const tocha_arg *inplace = class->op ? tocha_module_option(m, "inplace") : NULL;
  bool written = inplace && inplace->value.flag;
  char other[64];
  snprintf(other, sizeof other, written ? "%s_" : "%s.functional", name);
  const tocha_op *own = tocha_find_operator(name), *op = tocha_find_operator(other);
  const tocha_python_words *words = op ? op->words : own ? own->words : NULL;
  const char *use = words && words->uses && !written ? words->uses[i] : NULL;
  /* a use with the operator's own name is one by its functional form */
  if (use && !strpbrk(use, " (+") && (op || strcmp(use, name) != 0))
    raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                  python_type(L, i + 2), use);
  if (words && words->inner) name = words->inner;
  check_tensor(L, i + 2, written ? other : name, class->inputs[i], i + 1);
}

/* (module, inputs...) Runs the forward of the module in the box, whose class is written in C. */
static int forward_in_c(lua_State *L, const module_box *box) {
  binding *b = settled(L, box->binding);
  tocha_module *m = box->module;
  charge_collector(L, b);
  const tocha_module_class *class = tocha_module_class_of(m);
  tocha_tensor *inputs[MAX_INPUTS];
  int n = lua_gettop(L) - 1;
  if (class->script && (class->call || !inputs_of_c(L, class, n))) return run_script(L, class);
  if (class->call) return call_with_arguments(L);
  if (n > 0 && lua_type(L, -1) == LUA_TTABLE) n = place_inputs(L, class);
  if (class->container == TOCHA_CONTAINER_SEQUENTIAL &&
      (n != 1 || !to_tensor(L, 2) || !all_in_c(b->cx, m))) {
    if (tocha_failed(b->cx)) return raise_error(L);
    call none = {2, 0, 0};
    if (n == 0) refuse_inputs(L, class, &none);
    return run_sequence(L);
  }
  int required = class->input_count - class->optional_inputs;
  while (n > required && n <= class->input_count && lua_isnil(L, n + 1)) n--;
  if (n < required || n > class->input_count) {
    call given = {2, n, 0};
    refuse_inputs(L, class, &given);
  }
  if (class->takes_anything && n == 1) {
    lua_settop(L, 2);
    return 1;
  }
  for (int i = 0; i < n; i++) {
    inputs[i] = to_tensor(L, i + 2);
    if (inputs[i] || (i >= required && lua_isnil(L, i + 2))) continue;
    enter_module_call(L, to_module(L, 1)); /* the error's path names this module */
    refuse_input(L, m, i);
  }
  tocha_scope scope = tocha_scope_begin(b->cx);
  tocha_results results;
  bool ok = tocha_module_forward_results(b->cx, m, n, inputs, &results);
  if (!ok) {
    tocha_scope_end(b->cx, scope, NULL);
    return raise_error(L);
  }
  int count = push_results(L, b, &results, inputs[0]);
  tocha_scope_end(b->cx, scope, NULL);
  return count;
}

int module_forward(lua_State *L) {
  const module_box *box = to_module_box(L, 1);
  return box ? forward_in_c(L, box) : raise_without_self(L, "Module", "forward");
}

/* (module, inputs...) Calls the forward that a program in C gave the module by its host object. nil is an omitted tensor. */
static int forward_of_program(lua_State *L, tocha_module *m) {
  binding *b = binding_of(L);
  charge_collector(L, b);
  tocha_tensor *inputs[TOCHA_MAX_PARAMETERS];
  int n = lua_gettop(L) - 1;
  if (n > TOCHA_MAX_PARAMETERS)
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "%s.forward() takes at most %d inputs but %d were given",
                         tocha_module_name(m), TOCHA_MAX_PARAMETERS, n);
  for (int i = 0; i < n; i++) {
    inputs[i] = to_tensor(L, i + 2);
    if (!inputs[i] && !lua_isnil(L, i + 2)) check_tensor(L, i + 2, "forward", "input", i + 1);
  }
  if (n == 0) lua_pushnil(L); /* in place of the first input, for push_results */
  tocha_scope scope = tocha_scope_begin(b->cx);
  tocha_results results;
  results.count = tocha_module_call_all(b->cx, m, n, inputs, TOCHA_MAX_RESULTS, results.fixed);
  if (results.count < 0) {
    tocha_scope_end(b->cx, scope, NULL);
    return raise_error(L);
  }
  if (results.count > TOCHA_MAX_RESULTS) results.count = TOCHA_MAX_RESULTS;
  int count = push_results(L, b, &results, n > 0 ? inputs[0] : NULL);
  tocha_scope_end(b->cx, scope, NULL);
  return count;
}

/* (module, inputs...) Runs the forward of the module in the box. */
static int run_forward_of(lua_State *L, const module_box *box) {
  if (is_forward_of_program(tocha_module_get_host_object(box->module)))
    return forward_of_program(L, box->module);
  lua_getiuservalue(L, 1, box->own_forward ? MODULE_FIELDS : MODULE_CLASS);
  int type = lua_getfield(L, -1, "forward");
  if (lua_tocfunction(L, -1) == module_forward) {
    lua_pop(L, 2);
    return forward_in_c(L, box);
  }
  enter_module_call(L, to_module(L, 1));
  if (type == LUA_TNIL)
    return raise_message(L, TOCHA_NOT_IMPLEMENTED_ERROR,
                         "Module [%s] is missing the required \"forward\" function",
                         tocha_module_name(box->module));
  lua_remove(L, -2);
  lua_insert(L, 2);
  lua_pushvalue(L, 1);
  lua_insert(L, 3);
  lua_callk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, end_forward);
  return end_forward(L, LUA_OK, 0);
}

int run_forward(lua_State *L) { return run_forward_of(L, check_module_box(L, 1)); }

/* Ends the call of a module. For a program's own variable `local m <close> = Net()`, calls the
 * __close of the class. */
int module_close(lua_State *L) {
  tocha_module *m = to_module(L, 1);
  if (!m) return 0;
  int depth = tocha_module_depth(CX(L));
  leave_module_call(L, m);
  if (tocha_module_depth(CX(L)) == depth && push_class_event(L, 1, "__close"))
    return call_class_event(L);
  return 0;
}

int call_module(lua_State *L) {
  const module_box *m = check_module_box(L, 1);
  if (m->own_call && push_class_event(L, 1, "__call")) return call_class_event(L);
  return m->hooks || any_global_hooks() ? call_with_hooks(L) : run_forward_of(L, m);
}

/* Returns the name by which the caller calls the outermost module, such as "net" in net(x), or
 * NULL if there is none. [-0, +0, m] */
static const char *root_name(lua_State *L) {
  enum {
    LEVELS = 1000
  }; /* modules nest less deeply; each level takes as many steps as it is deep */
  lua_Debug ar;
  const char *name = NULL;
  for (int level = 0; level < LEVELS && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "nf", &ar);
    if (lua_tocfunction(L, -1) == call_module) name = ar.name;
    lua_pop(L, 1);
  }
  return name && strcmp(name, "?") != 0 ? name : NULL;
}

const char *push_module_path(lua_State *L, const char *path) {
  tocha_context *cx = CX(L);
  char text[512];
  size_t class_length = strcspn(path ? path : "", ". \n");
  if (path && path[0]) { /* C began the path with the class of the outermost module */
    bool module = strstr(path, " (") != NULL && strchr(path, '\n') == NULL;
    const char *root = module ? root_name(L) : NULL;
    return root ? lua_pushfstring(L, "%s%s", root, path + class_length) : lua_pushstring(L, path);
  }
  if (tocha_module_depth(cx) == 0) return lua_pushstring(L, "");
  return lua_pushstring(L, tocha_module_path(cx, root_name(L), text, sizeof text));
}
