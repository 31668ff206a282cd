/* optimizer.c: optimizers as Lua objects: construction, steps, the metatable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "function_table.h"
#include "lua/callback.h"
#include "optim/optim.h"

static const char optimizer_type[] = "torch.optim.Optimizer";

static const char optimizer_tag = 0;

typedef struct optimizer_box {
  const void *tag;            /* &optimizer_tag, which is faster to compare than metatables */
  tocha_optimizer *optimizer; /* NULL until made, and after collection */
} optimizer_box;

tocha_optimizer *to_optimizer(lua_State *L, int index) {
  const optimizer_box *b = lua_touserdata(L, index); /* a light userdata has no length */
  bool is_optimizer = b && lua_rawlen(L, index) >= sizeof *b && b->tag == &optimizer_tag;
  return is_optimizer ? b->optimizer : NULL;
}

tocha_optimizer *check_optimizer(lua_State *L, int index) {
  tocha_optimizer *o = to_optimizer(L, index);
  if (o) return o;
  luaL_checkudata(L, index, optimizer_type);
  luaL_argerror(L, index, "a live optimizer expected");
  return NULL;
}

/* --- construction ---------------------------------------------------------------------------- */

enum {
  CONSTRUCT_PARAMS = 1,
  CONSTRUCT_VALUES,
  CONSTRUCT_SELF
}; /* stack indices of a constructor */

/* Reads the options of a constructor. Leaves the argument for params at index 1, and at index 2
 * a table of the options' values, which keeps alive the tensors that the options point to. */
static void read_constructor(lua_State *L, const tocha_optimizer_class *class,
                             tocha_option *options) {
  tocha_parameter parameters[TOCHA_MAX_OPTIONS + 1] = {{.name = "params", .kind = TOCHA_KIND_ANY}};
  tocha_arg args[TOCHA_MAX_OPTIONS + 1];
  char function[64];
  int count, positional = 1;
  const tocha_option_declaration *d = tocha_optimizer_options(class, &count);
  for (int i = 0; i < count; i++) {
    parameters[i + 1].name = d[i].name;
    parameters[i + 1].kind = TOCHA_KIND_ANY;
    parameters[i + 1].optional = true;
    parameters[i + 1].keyword_only = d[i].keyword_only;
    positional += !d[i].keyword_only;
  }
  snprintf(function, sizeof function, "%s.__init__", tocha_optimizer_class_name(class));
  signature s = {.function = function,
                 .parameters = parameters,
                 .count = (uint8_t)(count + 1),
                 .positional = (uint8_t)positional,
                 .constructor = true,
                 .python = true};
  read_arguments(L, &s, 1, args);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    int index = any_index(&args[i + 1]);
    options[i] = d[i].default_value;
    if (!index || lua_isnil(L, index)) continue;
    read_option(L, index, &d[i], &options[i], class);
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushvalue(L, any_index(&args[0]));
  lua_insert(L, CONSTRUCT_PARAMS);
  lua_insert(L, CONSTRUCT_VALUES);
  lua_settop(L, CONSTRUCT_VALUES);
}

static bool is_group(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TTABLE && lua_getfield(L, index, "params") != LUA_TNIL;
}

/* Adds the groups of a constructor, whose argument for params is at CONSTRUCT_PARAMS, to the
 * optimizer at CONSTRUCT_SELF. */
static void add_groups(lua_State *L, const tocha_optimizer *o, const tocha_option *options) {
  check_iterable(L, CONSTRUCT_PARAMS, tocha_optimizer_class_of(o));
  bool groups = false;
  if (lua_type(L, CONSTRUCT_PARAMS) == LUA_TTABLE) {
    lua_geti(L, CONSTRUCT_PARAMS, 1);
    groups = is_group(L, lua_gettop(L));
    lua_settop(L, CONSTRUCT_SELF);
  }
  if (groups) {
    lua_Integer n = luaL_len(L, CONSTRUCT_PARAMS);
    for (lua_Integer i = 1; i <= n; i++) {
      lua_geti(L, CONSTRUCT_PARAMS, i);
      add_described_group(L, CONSTRUCT_SELF, -1, options);
      lua_pop(L, 1);
    }
  } else {
    add_group(L, CONSTRUCT_SELF, CONSTRUCT_PARAMS, options);
    if (tocha_optimizer_parameter_count(o, 0) == 0)
      raise_hinted(
          L, TOCHA_VALUE_ERROR,
          "modules in a plain table are no part of a model: self.layers = nn.ModuleList{...}",
          "optimizer got an empty parameter list");
  }
  lua_settop(L, CONSTRUCT_SELF);
}

/* Pushes a userdata for an optimizer that is set later. [-0, +1, m] */
static optimizer_box *push_box(lua_State *L) {
  optimizer_box *b = lua_newuserdatauv(L, sizeof *b, 3);
  b->tag = &optimizer_tag;
  b->optimizer = NULL;
  luaL_setmetatable(L, optimizer_type);
  lua_newtable(L);
  lua_setiuservalue(L, -2, OPTIMIZER_GROUPS);
  return b;
}

void tocha_lua_push_optimizer(lua_State *L, tocha_optimizer *o) {
  if (!o) {
    lua_pushnil(L);
    return;
  }
  if (push_remembered(L, o) && to_optimizer(L, -1) == o) return;
  lua_pop(L, 1);
  push_box(L)->optimizer = tocha_optimizer_retain(o);
  note_groups(L, lua_gettop(L));
  remember_object(L, -1, o);
}

/* Pushes an optimizer without groups. [-0, +1, e] */
static tocha_optimizer *push_optimizer(lua_State *L, const tocha_optimizer_class *class,
                                       const tocha_option *options) {
  optimizer_box *b = push_box(L);
  b->optimizer = tocha_optimizer_new(CX(L), class, options);
  if (!b->optimizer) raise_error(L);
  return b->optimizer;
}

static int construct(lua_State *L) {
  const tocha_optimizer_class *class = lua_touserdata(L, lua_upvalueindex(1));
  tocha_option options[TOCHA_MAX_OPTIONS];
  read_constructor(L, class, options);
  add_groups(L, push_optimizer(L, class, options), options);
  return 1;
}

/* torch._optimizer_base(params, defaults, takes_results) returns the groups of an optimizer
 * written in Lua (lua/torch/optim/Optimizer.lua). `defaults` is a table of the fields that each
 * group has unless it says otherwise. */
static int construct_base(lua_State *L) {
  bool takes_results = lua_toboolean(L, 3);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, CONSTRUCT_VALUES);
  tocha_optimizer *o = push_optimizer(L, tocha_optimizer_base(takes_results), NULL);
  lua_pushvalue(L, CONSTRUCT_VALUES);
  lua_setiuservalue(L, CONSTRUCT_SELF, OPTIMIZER_DEFAULTS);
  add_groups(L, o, NULL);
  return 1;
}

static int optimizer_gc(lua_State *L) {
  optimizer_box *b = luaL_checkudata(L, 1, optimizer_type);
  tocha_optimizer *o = b->optimizer;
  b->optimizer = NULL;
  tocha_optimizer_release(o);
  return 0;
}

/* --- steps ----------------------------------------------------------------------------------- */

enum {
  STEP_CLOSURE = 2,
  STEP_RESULT
}; /* stack indices of a step; its result is the first call's */

/* Calls the closure on top, and leaves its result. Unless `argument` is NULL, also writes the loss as
 * a number to it, a double *. Returns false with an error set if the loss is not a number. */
static bool call_closure(lua_State *L, binding *b, void *argument) {
  double *loss = argument;
  tocha_scalar value;
  lua_call(L, 0, 1);
  if (!loss) return true;
  if (!read_number(L, 1, &value)) {
    tocha_fail(b->cx, TOCHA_TYPE_ERROR, "the closure must return a number, not '%s'",
               python_type(L, 1));
    return false;
  }
  *loss = tocha_scalar_real(value);
  return true;
}

static bool run_closure(tocha_context *cx, void *user, double *loss) {
  lua_State *L = user;
  (void)cx;
  lua_pushvalue(L, STEP_CLOSURE);
  bool ok = call_back(binding_of(L), 1, 1, call_closure, loss);
  lua_settop(L, STEP_RESULT);
  return ok;
}

/* (optimizer, closure or nil) Makes a step, and returns the closure's result if there is a
 * closure. */
int torch_optimizer_step(lua_State *L, const tocha_arg *args) {
  tocha_optimizer *o = check_optimizer(L, 1);
  if (any_index(&args[1]))
    lua_pushvalue(L, any_index(&args[1]));
  else
    lua_pushnil(L);
  lua_insert(L, STEP_CLOSURE);
  lua_settop(L, STEP_CLOSURE);
  const tocha_closure closure = {run_closure, L};
  bool given = !lua_isnil(L, STEP_CLOSURE);
  if (!tocha_optimizer_step_closure(CX(L), o, given ? &closure : NULL)) return raise_error(L);
  return given;
}

int torch_optimizer_zero_grad(lua_State *L, const tocha_arg *args) {
  tocha_optimizer *o = check_optimizer(L, 1);
  return tocha_optimizer_zero_grad(CX(L), o, args[1].value.flag) ? 0 : raise_error(L);
}

int torch_optimizer_add_param_group(lua_State *L, const tocha_arg *args) {
  tocha_optimizer *o = check_optimizer(L, 1);
  add_described_group(L, 1, any_index(&args[1]), tocha_optimizer_defaults(o));
  return 0;
}

/* --- the object ------------------------------------------------------------------------------ */

/* Pushes the field that a script gave the optimizer at index 1 under the name at index 2, and
 * returns its type. [-0, +?, -] */
static int push_own_field(lua_State *L) {
  if (lua_getiuservalue(L, 1, OPTIMIZER_FIELDS) != LUA_TTABLE) return LUA_TNIL;
  lua_pushvalue(L, 2);
  return lua_rawget(L, -2);
}

/* Pushes a method that is written in Lua: isinstance, and those that register hooks. Returns its
 * type, or LUA_TNIL if there is none. [-0, +?, e] */
static int push_lua_method(lua_State *L, const char *name) {
  bool isinstance = strcmp(name, "isinstance") == 0;
  if (!isinstance && strncmp(name, "register_", 9) != 0) return LUA_TNIL;
  push_part(L, "optim.support");
  if (!isinstance) lua_getfield(L, -1, "methods");
  return lua_getfield(L, -1, name);
}

/* Raises PyTorch's error for an unknown name, with a hint. Upvalue 1: the methods. */
static int raise_unknown_name(lua_State *L, const char *class, const char *space,
                              const char *name) {
  const char *near = find_slip(L, lua_upvalueindex(1), name), *hint = NULL;
  if (pytorch_has(L, space, name))
    hint = lua_pushfstring(L, "PyTorch has Optimizer.%s; Tocha does not yet", name);
  else if (!near && strncmp(name, "param", 5) == 0)
    hint = "did you mean 'param_groups'?";
  else if (near || (near = nearest_key(L, lua_upvalueindex(1), name)))
    hint = lua_pushfstring(L, "did you mean '%s'?", near);
  return raise_hinted(L, TOCHA_ATTRIBUTE_ERROR, hint, "'%s' object has no attribute '%s'", class,
                      name);
}

static int optimizer_index(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, 1);
  const char *class = tocha_optimizer_class_name(tocha_optimizer_class_of(o));
  if (lua_type(L, 2) != LUA_TSTRING)
    return raise_hinted(L, TOCHA_TYPE_ERROR, "its groups are optimizer.param_groups[1], ...",
                        "'%s' object is not subscriptable", class);
  const char *name = lua_tostring(L, 2);
  if (push_own_field(L) != LUA_TNIL) return 1;
  if (!*name) /* the subscript was "" */
    return raise_hinted(L, TOCHA_TYPE_ERROR, "groups count from 1: optimizer.param_groups[1].lr",
                        "'%s' object is not subscriptable",
                        tocha_optimizer_class_name(tocha_optimizer_class_of(o)));
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  if (strcmp(name, "param_groups") == 0) {
    lua_getiuservalue(L, 1, OPTIMIZER_GROUPS);
  } else if (strcmp(name, "state") == 0) {
    push_state(L);
  } else if (strcmp(name, "__class__") == 0) {
    push_namespace(L, "optim");
    lua_getfield(L, -1, class);
  } else if (strcmp(name, "defaults") == 0) {
    int count;
    const tocha_option_declaration *d =
        tocha_optimizer_options(tocha_optimizer_class_of(o), &count);
    lua_createtable(L, 0, count);
    for (int i = 0; i < count; i++) {
      push_option(L, &d[i], &tocha_optimizer_defaults(o)[i]);
      lua_setfield(L, -2, d[i].name);
    }
  } else if (push_lua_method(L, name) == LUA_TNIL) {
    return raise_unknown_name(L, class, "torch.optim.Optimizer", name);
  }
  return 1;
}

/* (optimizer, name, value) Sets a field of the script's own, or a method in the place of the
 * class's (hooks). */
static int optimizer_newindex(lua_State *L) {
  check_optimizer(L, 1);
  const char *name = luaL_checkstring(L, 2);
  if (strcmp(name, "param_groups") == 0 || strcmp(name, "state") == 0 ||
      strcmp(name, "defaults") == 0)
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' of an optimizer cannot be replaced", name);
  if (lua_getiuservalue(L, 1, OPTIMIZER_FIELDS) != LUA_TTABLE) {
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, OPTIMIZER_FIELDS);
  }
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_rawset(L, -3);
  return 0;
}

/* Pushes a list of the fields that each group has beside its options. Returns false if no group
 * has any. [-0, +2, m] */
static bool push_extras(lua_State *L, const tocha_optimizer *o) {
  bool any = false;
  lua_getiuservalue(L, 1, OPTIMIZER_GROUPS);
  int groups = lua_gettop(L);
  lua_newtable(L);
  for (int g = 1; g <= tocha_optimizer_group_count(o); g++) {
    lua_rawgeti(L, groups, g);
    lua_newtable(L);
    copy_extra(L, groups + 2);
    lua_pushnil(L);
    if (lua_next(L, -2)) {
      any = true;
      lua_pop(L, 2);
    }
    lua_rawseti(L, groups + 1, g);
    lua_settop(L, groups + 1);
  }
  return any;
}

static int optimizer_tostring(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, 1);
  push_text(L, tocha_optimizer_to_string(CX(L), o));
  int text = lua_gettop(L);
  if (!push_extras(L, o) || !push_part(L, "optim.support")) {
    lua_settop(L, text);
    return 1;
  }
  lua_getfield(L, -1, "with_extras");
  lua_pushvalue(L, text);
  lua_pushvalue(L, text + 2);
  lua_call(L, 2, 1);
  return 1;
}

static int optimizer_concat(lua_State *L) {
  lua_settop(L, 2);
  push_format(L, 1);
  push_format(L, 2);
  lua_concat(L, 2);
  return 1;
}

void open_optim(lua_State *L, int torch) {
  static const luaL_Reg events[] = {{"__gc", optimizer_gc},
                                    {"__tostring", optimizer_tostring},
                                    {"__newindex", optimizer_newindex},
                                    {"__concat", optimizer_concat},
                                    {NULL, NULL}};
  lua_pushcfunction(L, construct_base);
  lua_setfield(L, torch, "_optimizer_base");
  new_metatable(L, optimizer_type, events);
  lua_newtable(L);
  register_functions(L, -1, "Optimizer");
  lua_pushcclosure(L, optimizer_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  open_optimizer_groups(L);
  push_namespace(L, "optim");
  for (int i = 0; tocha_optimizer_class_at(i); i++) {
    const tocha_optimizer_class *class = tocha_optimizer_class_at(i);
    lua_pushlightuserdata(L, (void *)class);
    lua_pushcclosure(L, construct, 1);
    lua_setfield(L, -2, tocha_optimizer_class_name(class));
  }
  lua_pop(L, 1);
}
