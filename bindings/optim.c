/* optim.c: optimizers as Lua objects. Options of a group are fields of the group; what an optimizer
 * does not know is kept beside them, as PyTorch's dictionaries do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "optim/optimizer.h"

static const char OPTIMIZER_TYPE[] = "torch.optim.Optimizer", GROUP_TYPE[] = "torch.optim.group";
enum { OPTIMIZER_GROUPS = 1 };             /* user value: the table param_groups */
enum { GROUP_OPTIMIZER = 1, GROUP_EXTRA }; /* user values: the optimizer, other fields */

typedef struct optimizer_box {
  tocha_optimizer *optimizer; /* NULL until made, and after collection */
} optimizer_box;

typedef struct group_box {
  int index;
} group_box;

static tocha_optimizer *check_optimizer(lua_State *L, int index) {
  optimizer_box *b = luaL_checkudata(L, index, OPTIMIZER_TYPE);
  if (!b->optimizer) luaL_argerror(L, index, "a live optimizer expected");
  return b->optimizer;
}

tocha_optimizer *to_optimizer(lua_State *L, int index) {
  const optimizer_box *b = luaL_testudata(L, index, OPTIMIZER_TYPE);
  return b ? b->optimizer : NULL;
}

/* --- options --------------------------------------------------------------------------------- */

static void push_option(lua_State *L, const tocha_option_declaration *d, const tocha_option *o) {
  if (d->kind == TOCHA_OPTION_MAYBE && !o->given) {
    lua_pushnil(L);
  } else if (d->kind == TOCHA_OPTION_PAIR) {
    lua_createtable(L, 2, 0);
    push_scalar(L, o->first);
    lua_rawseti(L, -2, 1);
    push_scalar(L, o->second);
    lua_rawseti(L, -2, 2);
  } else {
    push_scalar(L, o->first);
  }
}

static bool read_number(lua_State *L, int index, tocha_scalar *value) {
  tocha_tensor *t = to_tensor(L, index);
  if (t && t->numel == 1) return tocha_item(CX(L), t, value);
  return to_scalar(L, index, value);
}

/* The value at index as the option d. */
static void read_option(lua_State *L, int index, const tocha_option_declaration *d,
                        tocha_option *o) {
  index = lua_absindex(L, index);
  bool ok = true;
  o->given = true;
  if (d->kind == TOCHA_OPTION_MAYBE && lua_isnil(L, index)) {
    o->given = false;
  } else if (d->kind == TOCHA_OPTION_PAIR) {
    ok = lua_type(L, index) == LUA_TTABLE;
    if (ok) {
      lua_geti(L, index, 1);
      lua_geti(L, index, 2);
      ok = read_number(L, -2, &o->first) && read_number(L, -1, &o->second);
      lua_pop(L, 2);
    }
  } else if (d->kind == TOCHA_OPTION_NUMBER) {
    ok = read_number(L, index, &o->first);
  } else {
    o->first = tocha_boolean(lua_toboolean(L, index));
  }
  if (!ok)
    raise_message(L, TOCHA_TYPE_ERROR, "optimizer option '%s' must be %s, not %s", d->name,
                  d->kind == TOCHA_OPTION_PAIR ? "a pair of numbers" : "a number",
                  python_type(L, index));
}

/* --- parameters ------------------------------------------------------------------------------ */

static bool is_group(lua_State *L, int index) {
  return lua_type(L, index) == LUA_TTABLE && lua_getfield(L, index, "params") != LUA_TNIL;
}

static void check_iterable(lua_State *L, int index) {
  if (to_tensor(L, index))
    raise_message(
        L, TOCHA_TYPE_ERROR,
        "params argument given to the optimizer should be an iterable of Tensors or dicts, "
        "but got %s",
        torch_typename(L, index));
  if (lua_type(L, index) != LUA_TTABLE && lua_type(L, index) != LUA_TFUNCTION)
    raise_hinted(L, TOCHA_TYPE_ERROR,
                 to_module(L, index) ? "write: optim.SGD(net:parameters(), ...)" : NULL,
                 "'%s' object is not iterable", python_type(L, index));
}

/* Adds the parameters at index `params` (tensor, table or iterator) as a group with options. */
static void add_group(lua_State *L, int self, int params, const tocha_option *options) {
  tocha_optimizer *o = check_optimizer(L, self);
  bool names;
  int top = lua_gettop(L), n = push_tensors(L, params, &names), table = top + 1;
  tocha_tensor **tensors = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *tensors, 0);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, table, i + 1);
    tensors[i] = to_tensor(L, -1);
    if (!tensors[i])
      raise_message(L, TOCHA_TYPE_ERROR,
                    "optimizer can only optimize Tensors, but one of the params is %s",
                    torch_typename(L, -1));
    share_tensor(L, -1);
    lua_pop(L, 1);
  }
  if (!tocha_optimizer_add_group(CX(L), o, n, tensors, options)) raise_error(L);
  lua_settop(L, top);
  group_box *g = lua_newuserdatauv(L, sizeof *g, 2);
  g->index = tocha_optimizer_group_count(o) - 1;
  luaL_setmetatable(L, GROUP_TYPE);
  lua_pushvalue(L, self);
  lua_setiuservalue(L, -2, GROUP_OPTIMIZER);
  lua_newtable(L);
  lua_setiuservalue(L, -2, GROUP_EXTRA);
  lua_getiuservalue(L, self, OPTIMIZER_GROUPS);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, g->index + 1);
  lua_settop(L, top);
}

/* Adds the group that the table at index describes: params, options, anything else. */
static void add_described_group(lua_State *L, int self, int index, const tocha_option *defaults) {
  tocha_optimizer *o = check_optimizer(L, self);
  int count, top = lua_gettop(L);
  const tocha_option_declaration *d = tocha_optimizer_options(tocha_optimizer_class_of(o), &count);
  tocha_option options[16];
  index = lua_absindex(L, index);
  if (lua_type(L, index) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "param_group must be a dict, but got <class '%s'>",
                  python_type(L, index));
  if (lua_getfield(L, index, "params") == LUA_TNIL) raise_message(L, TOCHA_KEY_ERROR, "'params'");
  for (int i = 0; i < count; i++) {
    if (defaults) options[i] = defaults[i]; /* (never absent) */
    if (lua_getfield(L, index, d[i].name) != LUA_TNIL) read_option(L, -1, &d[i], &options[i]);
    lua_pop(L, 1);
  }
  if (!to_tensor(L, -1)) check_iterable(L, lua_gettop(L));
  add_group(L, self, lua_gettop(L), options);
  lua_getiuservalue(L, self, OPTIMIZER_GROUPS);
  lua_rawgeti(L, -1, luaL_len(L, -1));
  int group = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) { /* what is no option: initial_lr, ... */
    bool known = lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "params") == 0;
    for (int i = 0; i < count && !known; i++) known = strcmp(d[i].name, lua_tostring(L, -2)) == 0;
    if (known) continue;
    lua_getiuservalue(L, group, GROUP_EXTRA);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
}

/* --- construction ---------------------------------------------------------------------------- */

/* Brings what was given for params to index 1 and reads the options. */
static void read_constructor(lua_State *L, const tocha_optimizer_class *class,
                             tocha_option *options) {
  tocha_parameter parameters[17] = {
      {"params", TOCHA_KIND_TENSORS, false, false, false, false, {0}, "iterable"}};
  char function[64];
  int count, kw, positional = 1;
  const tocha_option_declaration *d = tocha_optimizer_options(class, &count);
  for (int i = 0; i < count; i++) {
    tocha_parameter p = {d[i].name, TOCHA_KIND_SCALAR, true, true, d[i].keyword_only, false, {0},
                         "float"};
    parameters[i + 1] = p;
    positional += !d[i].keyword_only;
  }
  snprintf(function, sizeof function, "%s.__init__", tocha_optimizer_class_name(class));
  int n = check_python_arguments(L, function, parameters, count + 1, positional, 1, &kw);
  for (int i = 0; i < count; i++) {
    options[i] = d[i].default_value;
    if (i + 1 < n) {
      if (!lua_isnil(L, i + 2)) read_option(L, i + 2, &d[i], &options[i]);
    } else if (kw && lua_getfield(L, kw, d[i].name) != LUA_TNIL) {
      read_option(L, -1, &d[i], &options[i]);
    }
  }
  if (n == 0) { /* by keyword: check_python_arguments saw that it is there */
    lua_getfield(L, kw, "params");
    lua_insert(L, 1);
  }
  lua_settop(L, 1);
}

static int construct(lua_State *L) {
  const tocha_optimizer_class *class = lua_touserdata(L, lua_upvalueindex(1));
  tocha_option options[16];
  read_constructor(L, class, options);
  optimizer_box *b = lua_newuserdatauv(L, sizeof *b, 1);
  b->optimizer = NULL;
  luaL_setmetatable(L, OPTIMIZER_TYPE);
  lua_newtable(L);
  lua_setiuservalue(L, 2, OPTIMIZER_GROUPS);
  b->optimizer = tocha_optimizer_new(CX(L), class, options);
  if (!b->optimizer) return raise_error(L);
  check_iterable(L, 1);
  bool groups = false;
  if (lua_type(L, 1) == LUA_TTABLE) {
    lua_geti(L, 1, 1);
    groups = is_group(L, lua_gettop(L));
    lua_settop(L, 2);
  }
  if (groups) {
    lua_Integer n = luaL_len(L, 1);
    for (lua_Integer i = 1; i <= n; i++) {
      lua_geti(L, 1, i);
      add_described_group(L, 2, -1, options);
      lua_pop(L, 1);
    }
  } else {
    add_group(L, 2, 1, options);
    if (tocha_optimizer_parameter_count(b->optimizer, 0) == 0)
      return raise_message(L, TOCHA_VALUE_ERROR, "optimizer got an empty parameter list");
  }
  lua_settop(L, 2);
  return 1;
}

static int optimizer_gc(lua_State *L) {
  optimizer_box *b = luaL_checkudata(L, 1, OPTIMIZER_TYPE);
  tocha_optimizer *o = b->optimizer;
  b->optimizer = NULL;
  tocha_optimizer_release(o);
  return 0;
}

/* --- groups ---------------------------------------------------------------------------------- */

static tocha_optimizer *group_optimizer(lua_State *L, int *index) {
  group_box *g = luaL_checkudata(L, 1, GROUP_TYPE);
  *index = g->index;
  lua_getiuservalue(L, 1, GROUP_OPTIMIZER);
  tocha_optimizer *o = check_optimizer(L, -1);
  lua_pop(L, 1);
  return o;
}

static const tocha_option_declaration *find_declaration(const tocha_optimizer *o,
                                                        const char *name) {
  int count;
  const tocha_option_declaration *d = tocha_optimizer_options(tocha_optimizer_class_of(o), &count);
  for (int i = 0; i < count; i++)
    if (strcmp(d[i].name, name) == 0) return &d[i];
  return NULL;
}

static void push_parameters(lua_State *L, const tocha_optimizer *o, int group) {
  int n = tocha_optimizer_parameter_count(o, group);
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    push_shared_tensor(L, tocha_optimizer_parameter(o, group, i));
    lua_rawseti(L, -2, i + 1);
  }
}

static int group_index(lua_State *L) {
  int group;
  tocha_optimizer *o = group_optimizer(L, &group);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  const tocha_option_declaration *d = find_declaration(o, name);
  if (d) {
    push_option(L, d, tocha_optimizer_option(o, group, name));
  } else if (strcmp(name, "params") == 0) {
    push_parameters(L, o, group);
  } else {
    lua_getiuservalue(L, 1, GROUP_EXTRA);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
  }
  return 1;
}

static int group_newindex(lua_State *L) {
  int group;
  tocha_optimizer *o = group_optimizer(L, &group);
  const char *name = luaL_checkstring(L, 2);
  const tocha_option_declaration *d = find_declaration(o, name);
  if (d) {
    read_option(L, 3, d, tocha_optimizer_option(o, group, name));
    return 0;
  }
  if (strcmp(name, "params") == 0)
    return raise_message(L, TOCHA_TYPE_ERROR, "the params of a group cannot be replaced");
  lua_getiuservalue(L, 1, GROUP_EXTRA);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_rawset(L, -3);
  return 0;
}

/* The group as a plain table: options and other fields. */
static void push_fields(lua_State *L, const tocha_optimizer *o, int group) {
  int count;
  const tocha_option_declaration *d = tocha_optimizer_options(tocha_optimizer_class_of(o), &count);
  lua_createtable(L, 0, count + 1);
  for (int i = 0; i < count; i++) {
    push_option(L, &d[i], tocha_optimizer_option(o, group, d[i].name));
    lua_setfield(L, -2, d[i].name);
  }
}

static void copy_extra(lua_State *L, int group_userdata) {
  int target = lua_gettop(L);
  lua_getiuservalue(L, group_userdata, GROUP_EXTRA);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, target);
  }
  lua_pop(L, 1);
}

static int group_pairs(lua_State *L) {
  int group;
  tocha_optimizer *o = group_optimizer(L, &group);
  lua_getglobal(L, "next");
  push_fields(L, o, group);
  copy_extra(L, 1);
  push_parameters(L, o, group);
  lua_setfield(L, -2, "params");
  return 2;
}

/* --- steps ----------------------------------------------------------------------------------- */

/* (optimizer, function or nil) */
static int step(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, 1);
  tocha_context *cx = CX(L);
  lua_settop(L, 2);
  bool closure = !lua_isnil(L, 2);
  if (closure) {
    bool recording = tocha_set_grad_enabled(cx, true);
    lua_pushvalue(L, 2);
    int status = lua_pcall(L, 0, 1, 0);
    tocha_set_grad_enabled(cx, recording);
    if (status != LUA_OK) return lua_error(L);
  }
  if (!tocha_optimizer_step(cx, o)) return raise_error(L);
  return closure;
}

static int zero_grad(lua_State *L) {
  static const tocha_parameter p = {"set_to_none",
                                    TOCHA_KIND_BOOL,
                                    false,
                                    true,
                                    false,
                                    false,
                                    {.value.flag = true, .given = true},
                                    "bool"};
  tocha_optimizer *o = check_optimizer(L, 1);
  tocha_arg arg = p.default_value;
  if (lua_gettop(L) > 1) read_python_arguments(L, "Optimizer.zero_grad", &p, 1, 1, 2, &arg);
  if (!tocha_optimizer_zero_grad(CX(L), o, arg.value.flag)) return raise_error(L);
  return 0;
}

static int add_param_group(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, 1);
  add_described_group(L, 1, 2, o->defaults);
  return 0;
}

/* --- state ----------------------------------------------------------------------------------- */

/* The states of one parameter as a table; nothing where there are none. */
static bool push_states(lua_State *L, const tocha_optimizer *o, int group, int i) {
  const char *const *names = tocha_optimizer_state_names(tocha_optimizer_class_of(o));
  bool any = false;
  for (int k = 0; names[k] && !any; k++) any = tocha_optimizer_state(o, group, i, k) != NULL;
  if (!any) return false;
  lua_newtable(L);
  for (int k = 0; names[k]; k++) {
    push_shared_tensor(L, tocha_optimizer_state(o, group, i, k));
    lua_setfield(L, -2, names[k]);
  }
  return true;
}

/* optimizer.state[parameter]; upvalue: the optimizer. */
static int state_index(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, lua_upvalueindex(1));
  const tocha_tensor *wanted = to_tensor(L, 2);
  for (int g = 0; g < tocha_optimizer_group_count(o); g++)
    for (int i = 0; i < tocha_optimizer_parameter_count(o, g); i++)
      if (tocha_optimizer_parameter(o, g, i) == wanted && push_states(L, o, g, i)) return 1;
  lua_newtable(L);
  return 1;
}

static int table_size(lua_State *L) {
  lua_Integer n = 0;
  lua_settop(L, 1);
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) n++;
  lua_pushinteger(L, n);
  return 1;
}

static void push_state(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, state_index, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

/* {state = {[number of parameter] = {...}}, param_groups = {{lr = ..., params = {numbers}}}} */
static int state_dict(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, 1);
  lua_settop(L, 1);
  lua_createtable(L, 0, 2);
  lua_newtable(L); /* 3: state */
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, table_size);
  lua_setfield(L, -2, "__len");
  lua_setmetatable(L, -2);
  lua_newtable(L); /* 4: param_groups */
  lua_getiuservalue(L, 1, OPTIMIZER_GROUPS);
  int number = 0;
  for (int g = 0; g < tocha_optimizer_group_count(o); g++) {
    push_fields(L, o, g);
    lua_rawgeti(L, 5, g + 1);
    lua_insert(L, -2);
    copy_extra(L, lua_gettop(L) - 1);
    lua_remove(L, -2);
    int n = tocha_optimizer_parameter_count(o, g);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++, number++) {
      lua_pushinteger(L, number);
      lua_rawseti(L, -2, i + 1);
      if (push_states(L, o, g, i)) lua_rawseti(L, 3, number);
    }
    lua_setfield(L, -2, "params");
    lua_rawseti(L, 4, g + 1);
  }
  lua_settop(L, 4);
  lua_setfield(L, 2, "param_groups");
  lua_setfield(L, 2, "state");
  return 1;
}

static void load_states(lua_State *L, tocha_optimizer *o, int group, int i) {
  const char *const *names = tocha_optimizer_state_names(tocha_optimizer_class_of(o));
  bool have = lua_type(L, -1) == LUA_TTABLE;
  for (int k = 0; names[k]; k++) {
    if (have)
      lua_getfield(L, -1, names[k]);
    else
      lua_pushnil(L);
    tocha_tensor *value = to_tensor(L, -1);
    if (!value && lua_type(L, -1) == LUA_TNUMBER) { /* old checkpoints keep step as a number */
      double number = lua_tonumber(L, -1);
      tocha_scope scope = tocha_scope_begin(CX(L));
      value = tocha_from_values(CX(L), &number, 0, NULL, TOCHA_FLOAT64);
      tocha_tensor *narrow = value ? tocha_new(CX(L), 0, NULL, TOCHA_FLOAT32, tocha_cpu()) : NULL;
      if (narrow && tocha_copy_data(CX(L), narrow, value)) push_tensor(L, narrow);
      tocha_scope_end(CX(L), scope, NULL);
      if (!narrow) raise_error(L);
      value = to_tensor(L, -1);
      lua_remove(L, -2);
    }
    if (!tocha_optimizer_set_state(CX(L), o, group, i, k, value)) raise_error(L);
    lua_pop(L, 1);
  }
}

/* (optimizer, {state = ..., param_groups = ...}) */
static int load_state_dict(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, 1);
  int groups = tocha_optimizer_group_count(o);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_getfield(L, 2, "state");
  lua_getfield(L, 2, "param_groups");
  luaL_checktype(L, 3, LUA_TTABLE);
  luaL_checktype(L, 4, LUA_TTABLE);
  if (luaL_len(L, 4) != groups)
    return raise_message(L, TOCHA_VALUE_ERROR,
                         "loaded state dict has a different number of parameter groups");
  for (int g = 0; g < groups; g++) {
    lua_rawgeti(L, 4, g + 1);
    lua_getfield(L, -1, "params");
    if (lua_type(L, -1) != LUA_TTABLE || luaL_len(L, -1) != tocha_optimizer_parameter_count(o, g))
      return raise_message(
          L, TOCHA_VALUE_ERROR,
          "loaded state dict contains a parameter group that doesn't match the size "
          "of optimizer's group");
    lua_settop(L, 4);
  }
  lua_getiuservalue(L, 1, OPTIMIZER_GROUPS);
  for (int g = 0; g < groups; g++) {
    lua_rawgeti(L, 5, g + 1); /* 6: the group; assigning goes through its fields */
    lua_rawgeti(L, 4, g + 1); /* 7: the saved one */
    for (lua_pushnil(L); lua_next(L, 7); lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "params") == 0) continue;
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_settable(L, 6);
    }
    lua_getfield(L, 7, "params");
    for (int i = 0; i < tocha_optimizer_parameter_count(o, g); i++) {
      lua_rawgeti(L, 8, i + 1);
      lua_rawget(L, 3);
      load_states(L, o, g, i);
      lua_settop(L, 8);
    }
    lua_settop(L, 5);
  }
  return 0;
}

/* --- the object ------------------------------------------------------------------------------ */

static int optimizer_index(lua_State *L) {
  tocha_optimizer *o = check_optimizer(L, 1);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  if (strcmp(name, "param_groups") == 0) {
    lua_getiuservalue(L, 1, OPTIMIZER_GROUPS);
  } else if (strcmp(name, "state") == 0) {
    push_state(L);
  } else if (strcmp(name, "defaults") == 0) {
    int count;
    const tocha_option_declaration *d = tocha_optimizer_options(o->class, &count);
    lua_createtable(L, 0, count);
    for (int i = 0; i < count; i++) {
      push_option(L, &d[i], &o->defaults[i]);
      lua_setfield(L, -2, d[i].name);
    }
  } else {
    lua_pushnil(L);
  }
  return 1;
}

static int optimizer_tostring(lua_State *L) {
  char *text = tocha_optimizer_to_string(CX(L), check_optimizer(L, 1));
  if (!text) return raise_error(L);
  lua_pushstring(L, text);
  free(text);
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
  static const luaL_Reg methods[] = {{"step", step},
                                     {"zero_grad", zero_grad},
                                     {"add_param_group", add_param_group},
                                     {"state_dict", state_dict},
                                     {"load_state_dict", load_state_dict},
                                     {NULL, NULL}};
  static const luaL_Reg events[] = {{"__gc", optimizer_gc},
                                    {"__tostring", optimizer_tostring},
                                    {"__concat", optimizer_concat},
                                    {NULL, NULL}};
  static const luaL_Reg group_events[] = {{"__index", group_index},
                                          {"__newindex", group_newindex},
                                          {"__pairs", group_pairs},
                                          {NULL, NULL}};
  torch = lua_absindex(L, torch);
  luaL_newmetatable(L, OPTIMIZER_TYPE);
  luaL_setfuncs(L, events, 0);
  luaL_newlib(L, methods);
  lua_pushcclosure(L, optimizer_index, 1);
  lua_setfield(L, -2, "__index");
  luaL_newmetatable(L, GROUP_TYPE);
  luaL_setfuncs(L, group_events, 0);
  lua_pop(L, 2);
  lua_newtable(L);
  for (int i = 0; tocha_optimizer_class_at(i); i++) {
    const tocha_optimizer_class *class = tocha_optimizer_class_at(i);
    lua_pushlightuserdata(L, (void *)class);
    lua_pushcclosure(L, construct, 1);
    lua_setfield(L, -2, tocha_optimizer_class_name(class));
  }
  lua_setfield(L, torch, "optim");
}
