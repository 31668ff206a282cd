/* classes.c: the classes of modules: construction, extend, isinstance. A class is a table whose
 * metatable has its base. */
#include <stdio.h>
#include <string.h>

#include "arguments/functions.h"
#include "nn/module.h"

static const char classes_key = 0; /* registry: name of a class of the list -> its table */

void push_class(lua_State *L, const tocha_module_class *class) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &classes_key);
  lua_getfield(L, -1, class->name);
  lua_remove(L, -2);
}

/* Returns the class of the list behind the class table at `index`, or NULL if the value is not a
 * class. [-0, +0, m] */
static const tocha_module_class *builtin_of(lua_State *L, int index) {
  int type = luaL_getmetafield(L, index, "builtin"), i = 0;
  if (type == LUA_TNIL) return NULL;
  const void *class = type == LUA_TLIGHTUSERDATA ? lua_touserdata(L, -1) : NULL;
  lua_pop(L, 1);
  while (tocha_module_class_at(i) && tocha_module_class_at(i) != class)
    i++; /* the field may hold any pointer */
  return tocha_module_class_at(i);
}

/* Raises PyTorch's error if a size is not an integer. There it comes from torch.empty. The sizes
 * are the first arguments, and the tensor's sizes begin with the last of them. */
static void check_sizes(lua_State *L, const tocha_module_class *class, const call *c) {
  for (int i = class->size_count - 1; i >= 0; i--) {
    int index = c->first + i, at = class->size_count - 1 - i;
    int64_t ignored;
    if (i >= c->n || to_integer(L, index, &ignored)) continue;
    if (at == 0)
      raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, index),
                   "empty(): argument 'size' (position 1) must be tuple of ints, but found "
                   "element of type %s at pos 0",
                   python_type(L, index));
    raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, index),
                 "empty(): argument 'size' failed to unpack the object at pos %d with error "
                 "\"type must be tuple of ints,but got %s\"",
                 at + 1, python_type(L, index));
  }
}

/* (module, arguments...) Constructs a module of a class of the list. Upvalue: the class. */
static int builtin_init(lua_State *L) {
  const tocha_module_class *class = lua_touserdata(L, lua_upvalueindex(1));
  tocha_module *m = check_module(L, 1);
  tocha_context *cx = CX(L);
  char name[96];
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  if (class == tocha_module_class_at(0) && tocha_module_class_of(m) != class) return 0;
  if (tocha_module_class_of(m) != class)
    return raise_message(L, TOCHA_TYPE_ERROR, "%s.__init__() is for a module of another class (%s)",
                         class->name, tocha_module_name(m));
  if (class->container != TOCHA_CONTAINER_NONE) {
    init_container(L, m);
    return 0;
  }
  if (class->takes_anything) return 0;
  snprintf(name, sizeof name, "%s.__init__", class->declared);
  signature s = {.function = name,
                 .parameters = class->parameters,
                 .words = class->words,
                 .count = (uint8_t) class->parameter_count,
                 .positional = (uint8_t) class->positional,
                 .constructor = true,
                 .python = true,
                 .spread = true};
  argument_arena a;
  mismatch why;
  call c = split_call(L, 2, 0);
  a.used = 0;
  if (!fit_call(L, &s, &c, &a, args, &why)) {
    complain_as_python(L, &s, &c);
    check_sizes(L, class, &c);
    return raise_mismatch(L, &s, &c, &why);
  }
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = tocha_module_init(cx, m, args);
  tocha_scope_end(cx, scope, NULL);
  return ok ? 0 : raise_error(L);
}

/* Returns true if a part in Lua has replaced the forward of the class, which is one of the
 * list's. [-0, +0, e] */
static bool has_other_forward(lua_State *L, int class) {
  bool found = lua_getfield(L, class, "forward") == LUA_TFUNCTION &&
               lua_tocfunction(L, -1) != module_forward;
  lua_pop(L, 1);
  return found;
}

/* Records which events of the class at index 1 a call must check. Raises if __index or
 * __newindex is a function, because modules do not call these. */
static void note_events(lua_State *L, const char *name, module_box *box) {
  static const char *const refused[] = {"__index", "__newindex"};
  box->own_call = lua_getfield(L, 1, "__call") != LUA_TNIL;
  lua_pop(L, 1);
  for (int i = 0; i < TOCHA_COUNT(refused); i++) {
    if (lua_getfield(L, 1, refused[i]) != LUA_TNIL && lua_type(L, -1) != LUA_TTABLE)
      raise_hinted(L, TOCHA_TYPE_ERROR,
                   "fields of a module are found without it; compute a value in a method",
                   "class '%s' defines %s, which modules do not call", name, refused[i]);
    lua_pop(L, 1); /* Net.__index = Net, as in Lua's own classes, changes nothing */
  }
}

/* (class, arguments...) Constructs a module: the __call of classes. */
static int construct(lua_State *L) {
  const tocha_module_class *class = builtin_of(L, 1);
  if (!class) return luaL_argerror(L, 1, "a class of modules expected");
  const char *name = NULL;
  int arguments = lua_gettop(L) - 1;
  binding *b = binding_of(L);
  if (luaL_getmetafield(L, 1, "name") == LUA_TSTRING) name = lua_tostring(L, -1);
  lua_settop(L, arguments + 1);
  module_box *box = push_module_box(L, 1);
  box->module =
      tocha_module_new(b->cx, class, name && strcmp(name, class->name) != 0 ? name : NULL);
  if (!box->module) return raise_error(L);
  remember_module(L, box);
  bool in_lua = name && strcmp(name, class->name) != 0; /* a class written in Lua */
  if (in_lua || has_other_forward(L, 1)) {
    tocha_host_object host_object = {.forward = host_object_forward,
                                     .extra_repr = host_object_extra_repr,
                                     .repr = host_object_repr,
                                     .call = host_object_call};
    set_lua_object(L, box->module, host_object);
  }
  if (in_lua) note_events(L, name, box);
  lua_insert(L, 2);
  lua_getfield(L, 1, "init");
  lua_insert(L, 3);
  lua_pushvalue(L, 2);
  lua_insert(L, 4);
  lua_call(L, arguments + 1, 0);
  box->generation = tocha_module_generation(box->module);
  refresh_module_parts(L, 2, box);
  lua_settop(L, 2);
  return 1;
}

static int class_tostring(lua_State *L) {
  const char *name = luaL_getmetafield(L, 1, "name") == LUA_TSTRING ? lua_tostring(L, -1) : "?";
  const tocha_module_class *builtin = builtin_of(L, 1);
  bool own = builtin && strcmp(builtin->name, name) == 0;
  lua_pushfstring(L, own ? "<class 'torch.nn.%s'>" : "<class '%s'>", name);
  return 1;
}

/* Gives the table at the top the metatable of a class, and Python's module.__class__.__name__.
 * `base` is the index of its base, or 0 for none. [-0, +0, m] */
static void make_class(lua_State *L, const char *name, const tocha_module_class *builtin,
                       int base) {
  if (base) base = lua_absindex(L, base);
  lua_createtable(L, 0, 8);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "name");
  lua_pushliteral(L, "torch.nn.class");
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "__metatable");
  lua_setfield(L, -2, "__name");
  lua_pushlightuserdata(L, (void *)builtin);
  lua_setfield(L, -2, "builtin");
  lua_pushcfunction(L, construct);
  lua_setfield(L, -2, "__call");
  lua_pushcfunction(L, class_tostring);
  lua_setfield(L, -2, "__tostring");
  if (base) {
    lua_pushvalue(L, base);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, base);
    lua_setfield(L, -2, "base");
  }
  lua_setmetatable(L, -2);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name__");
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__class__");
}

/* (class, name) Returns a new class: class:extend "Name". */
static int extend(lua_State *L) {
  const tocha_module_class *builtin = builtin_of(L, 1);
  if (lua_type(L, 1) != LUA_TTABLE || !builtin)
    return raise_hinted(L, TOCHA_TYPE_ERROR, "write: local Net = nn.Module:extend \"Net\"",
                        "extend() is a method of classes");
  if (lua_type(L, 2) != LUA_TSTRING)
    return raise_hinted(
        L, TOCHA_TYPE_ERROR,
        lua_pushfstring(L, "write: local Net = nn.%s:extend \"Net\"; print shows the name",
                        builtin->name),
        lua_isnoneornil(L, 2) ? "extend() missing 1 required positional argument: 'name'"
                              : "extend(): argument 'name' (position 1) must be str, not %s",
        python_type(L, 2));
  const char *name = lua_tostring(L, 2);
  lua_newtable(L);
  make_class(L, name, builtin, 1);
  return 1;
}

/* (module, class) Returns true if the module is of the class, or of any class in a table. */
static int isinstance(lua_State *L) {
  if (!to_module(L, 1)) {
    lua_pushboolean(L, 0);
    return 1;
  }
  if (lua_type(L, 2) == LUA_TTABLE && !builtin_of(L, 2)) {
    lua_Integer n = luaL_len(L, 2);
    bool any = false;
    for (lua_Integer i = 1; i <= n && !any; i++) {
      lua_pushcfunction(L, isinstance);
      lua_pushvalue(L, 1);
      lua_rawgeti(L, 2, i);
      lua_call(L, 2, 1);
      any = lua_toboolean(L, -1);
      lua_pop(L, 1);
    }
    lua_pushboolean(L, any);
    return 1;
  }
  lua_getiuservalue(L, 1, MODULE_CLASS);
  bool found = lua_rawequal(L, -1, 2);
  while (!found && luaL_getmetafield(L, -1, "base") != LUA_TNIL) {
    lua_remove(L, -2);
    found = lua_rawequal(L, -1, 2);
  }
  lua_pushboolean(L, found);
  return 1;
}

static int get_name(lua_State *L) {
  lua_pushstring(L, tocha_module_name(check_module(L, 1)));
  return 1;
}

/* torch._takes_device(class) returns true if the class's constructor has a parameter `device`,
 * or the class is written in Lua and may have one. */
static int takes_device(lua_State *L) {
  const tocha_module_class *class = lua_type(L, 1) == LUA_TTABLE ? builtin_of(L, 1) : NULL;
  if (!class) return raise_message(L, TOCHA_TYPE_ERROR, "issubclass() arg 1 must be a class");
  push_class(L, class);
  bool takes = !lua_rawequal(L, -1, 1);
  for (int i = 0; i < class->parameter_count; i++)
    takes = takes || strcmp(class->parameters[i].name, "device") == 0;
  lua_pushboolean(L, takes);
  return 1;
}

/* --- opening --------------------------------------------------------------------------------- */

void open_modules(lua_State *L, int torch) {
  static const luaL_Reg methods[] = {{"extend", extend},
                                     {"isinstance", isinstance},
                                     {"_get_name", get_name},
                                     {"extra_repr", module_extra_repr},
                                     {"_save_to_state_dict", module_save_to_state_dict},
                                     {"_load_from_state_dict", module_load_from_state_dict},
                                     {NULL, NULL}};
  torch = lua_absindex(L, torch);
  open_module_metatable(L);
  lua_getfield(L, torch, "nn");
  int nn = lua_gettop(L);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &classes_key);
  int classes = lua_gettop(L);
  for (int i = 0; tocha_module_class_at(i); i++) {
    const tocha_module_class *class = tocha_module_class_at(i);
    lua_createtable(L, 0, 4); /* init, forward, __name__, __class__ */
    lua_pushlightuserdata(L, (void *)class);
    lua_pushcclosure(L, builtin_init, 1);
    lua_setfield(L, -2, "init");
    if (tocha_module_class_has_forward(class) || class->script) {
      lua_pushcfunction(L, module_forward);
      lua_setfield(L, -2, "forward");
    }
    if (i == 0 || class->version != tocha_module_class_at(0)->version) {
      lua_pushinteger(L, class->version);
      lua_setfield(L, -2, "_version");
    }
    if (i == 0) {
      luaL_setfuncs(L, methods, 0);
      register_functions(L, -1, "Module");
      make_class(L, class->name, class, 0);
    } else {
      lua_getfield(L, nn, class->base ? class->base : "Module");
      lua_insert(L, -2);
      make_class(L, class->name, class, -2);
      lua_remove(L, -2);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, classes, class->name);
    if (class->in_lua)
      lua_pop(L, 1);
    else
      lua_setfield(L, nn, class->name);
  }
  lua_pushcfunction(L, run_forward);
  lua_setfield(L, torch, "_run_forward");
  lua_pushcfunction(L, call_with_arguments);
  lua_setfield(L, torch, "_run_in_c");
  lua_pushcfunction(L, takes_device);
  lua_setfield(L, torch, "_takes_device");
  open_containers(L, nn);
  open_state_dict(L);
  open_module_state(L, torch);
  lua_settop(L, nn - 1);
}
