/* state.c: state_dict and load_state_dict. C does it alone (runtime/nn/module_state.c) unless
 * hooks or methods written in Lua change the state. lua/parts/nn/module/state.lua then walks the
 * tree, with the functions that this file has for one module. */
#include <string.h>

#include "function_table.h"
#include "lua/callback.h"
#include "nn/module.h"
#include "sandbox/confined.h"

/* --- saving and loading in Lua
 * -------------------------------------------------------------------- */

/* Returns true if the class of the module at the top overrides saving or loading, so that the C
 * path cannot be used. `base` is the index of nn.Module. [-0, +0, e] */
static bool class_overrides(lua_State *L, const tocha_module_class *class, int base) {
  static const char *const methods[] = {"_save_to_state_dict", "_load_from_state_dict",
                                        "get_extra_state", "set_extra_state", "state_dict"};
  int top = lua_gettop(L);
  lua_getiuservalue(L, -1, MODULE_CLASS);
  lua_getfield(L, -1, "_version");
  bool overridden = lua_tointeger(L, -1) != class->version;
  for (size_t i = 0; !overridden && i < sizeof methods / sizeof *methods; i++) {
    lua_getfield(L, top + 1, methods[i]);
    lua_getfield(L, base, methods[i]);
    overridden = !lua_rawequal(L, -1, -2);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  return overridden;
}

static bool hooks_override(lua_State *L, const char *before, const char *after) {
  bool overridden = false;
  if (lua_getiuservalue(L, -1, MODULE_HOOKS) == LUA_TTABLE) {
    overridden = lua_getfield(L, -1, before) != LUA_TNIL;
    overridden = lua_getfield(L, -2, after) != LUA_TNIL || overridden;
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  return overridden;
}

/* Returns true if any module of the tree overrides saving or loading in Lua, so that the C path
 * cannot be used. `before` and `after` are the kinds of hooks that do. [-0, +0, e] */
static bool overridden_in_lua(lua_State *L, tocha_module *m, const char *before,
                              const char *after) {
  int top = lua_gettop(L);
  tocha_named_list *list = push_list(L);
  if (!tocha_named_modules(CX(L), m, "", true, list)) raise_error(L);
  push_class(L, tocha_module_class_at(0));
  bool overridden = false;
  for (int i = 0; !overridden && i < list->count; i++, lua_settop(L, top + 2)) {
    tocha_module *module = list->items[i].module;
    push_module(L, module);
    overridden = hooks_override(L, before, after) ||
                 class_overrides(L, tocha_module_class_of(module), top + 2);
  }
  lua_settop(L, top);
  return overridden;
}

/* Calls a function of lua/parts/nn/module/state.lua with the values on the stack from index
 * `first` on. Returns the number of results. [-arguments, +results, e] */
static int call_state(lua_State *L, const char *name, int first) {
  if (!push_part(L, "nn.module.state"))
    return luaL_error(L, "torch: no part named 'nn.module.state'");
  lua_getfield(L, -1, name);
  lua_replace(L, -2);
  lua_insert(L, first);
  call_to_end(L, lua_gettop(L) - first, LUA_MULTRET);
  return lua_gettop(L) - first + 1;
}

/* --- both ------------------------------------------------------------------------------------ */

static void push_argument(lua_State *L, const tocha_arg *arg) {
  if (any_index(arg))
    lua_pushvalue(L, any_index(arg));
  else
    lua_pushnil(L);
}

/* (self, prefix, keep_vars, destination) Returns the state dict of a module. */
int torch_module_state_dict(lua_State *L, const tocha_arg *args) {
  tocha_module *m = check_module(L, 1);
  if (any_index(&args[3]) || overridden_in_lua(L, m, "before_state_dict", "after_state_dict")) {
    int first = lua_gettop(L) + 1;
    lua_pushvalue(L, 1);
    push_argument(L, &args[3]);
    lua_pushstring(L, args[1].value.string);
    lua_pushboolean(L, args[2].value.flag);
    return call_state(L, "save", first);
  }
  tocha_state_dict **dict = push_state_dict(L);
  *dict = tocha_module_state_dict(CX(L), m, args[1].value.string, args[2].value.flag);
  return *dict ? 1 : raise_error(L);
}

static void push_names(lua_State *L, const tocha_named_list *list) {
  lua_createtable(L, list->count, 0);
  for (int i = 0; i < list->count; i++) {
    lua_pushstring(L, list->items[i].name);
    lua_rawseti(L, -2, i + 1);
  }
}

/* Pushes a field of the value at index 1, which a script may have changed, as text: a list with
 * its strings in quotes. Returns true if the field is an empty list. [-0, +2, e] */
static bool push_names_text(lua_State *L, const char *field) {
  luaL_Buffer text;
  lua_getfield(L, 1, field);
  int list = lua_gettop(L);
  if (!lua_istable(L, list)) {
    show_value(L, list, NULL);
    return false;
  }
  lua_Unsigned count = lua_rawlen(L, list);
  luaL_buffinit(L, &text);
  luaL_addchar(&text, '[');
  for (lua_Unsigned i = 1; i <= count; i++) {
    luaL_addstring(&text, i > 1 ? ", '" : "'");
    lua_rawgeti(L, list, (lua_Integer)i);
    show_value(L, -1, NULL);
    lua_remove(L, -2);
    luaL_addvalue(&text);
    luaL_addchar(&text, '\'');
  }
  luaL_addchar(&text, ']');
  luaL_pushresult(&text);
  return count == 0;
}

/* Returns the text of load_state_dict's result. */
static int incompatible_tostring(lua_State *L) {
  bool none = push_names_text(L, "missing_keys");
  int missing = lua_gettop(L);
  none = push_names_text(L, "unexpected_keys") && none;
  if (none)
    lua_pushliteral(L, "<All keys matched successfully>");
  else
    lua_pushfstring(L, "_IncompatibleKeys(missing_keys=%s, unexpected_keys=%s)",
                    lua_tostring(L, missing), lua_tostring(L, -1));
  return 1;
}

/* Makes the result of load_state_dict of the two tables of names on top: the missing and the
 * unexpected keys. [-2, +1, m] */
static int push_incompatible(lua_State *L) {
  lua_createtable(L, 0, 2);
  lua_insert(L, -3);
  lua_setfield(L, -3, "unexpected_keys");
  lua_setfield(L, -2, "missing_keys");
  static const luaL_Reg events[] = {{"__tostring", incompatible_tostring}, {NULL, NULL}};
  new_metatable(L, "torch.IncompatibleKeys", events);
  lua_setmetatable(L, -2);
  return 1;
}

/* Leaves with the module at index 1 what the state dict at `dict` tells about the buckets of
 * DistributedDataParallel, which may wrap the module later. [-0, +0, e] */
static void keep_buckets(lua_State *L, int dict) {
  int top = lua_gettop(L);
  if (push_state_metadata(L, dict) && lua_getfield(L, -1, "") == LUA_TTABLE &&
      lua_getfield(L, -1, "ddp_buckets") == LUA_TSTRING)
    lua_setfield(L, 1, "_ddp_buckets");
  lua_settop(L, top);
}

int torch_module_load_state_dict(lua_State *L, const tocha_arg *args) {
  tocha_module *m = check_module(L, 1);
  tocha_state_dict *dict = check_state_dict(L, any_index(&args[1]));
  int at = lua_gettop(L);
  keep_buckets(L, to_state_dict(L, any_index(&args[1])) ? any_index(&args[1]) : at);
  bool strict = !any_index(&args[2]) || lua_toboolean(L, any_index(&args[2]));
  bool assign = any_index(&args[3]) && lua_toboolean(L, any_index(&args[3]));
  if (overridden_in_lua(L, m, "before_load", "after_load")) {
    lua_pushvalue(L, 1);
    lua_pushvalue(L, to_state_dict(L, any_index(&args[1])) ? any_index(&args[1]) : at);
    lua_pushboolean(L, strict);
    lua_pushboolean(L, assign);
    return call_state(L, "load", at + 1);
  }
  tocha_named_list *missing = push_list(L), *unexpected = push_list(L);
  if (!tocha_module_load_state_dict(CX(L), m, dict, strict, assign, missing, unexpected))
    return raise_error(L);
  push_names(L, missing);
  push_names(L, unexpected);
  return push_incompatible(L);
}

/* --- one module ------------------------------------------------------------------------------ */

/* nn.Module's own methods, which classes written in Lua override and call. */
int module_save_to_state_dict(lua_State *L) { return call_state(L, "save_own", 1); }
int module_load_from_state_dict(lua_State *L) { return call_state(L, "load_own", 1); }

/* (module, dict, prefix, keep_vars) Saves the module's own members in the dict. */
static int save_members(lua_State *L) {
  if (!tocha_module_save_own_state(CX(L), check_module(L, 1), luaL_checkstring(L, 3),
                                   lua_toboolean(L, 4), check_state_dict(L, 2)))
    return raise_error(L);
  return 0;
}

/* Appends the names of a list to the table at `index`. [-0, +0, e] */
static void append_to(lua_State *L, int index, const tocha_named_list *list) {
  lua_Integer n = luaL_len(L, index);
  for (int i = 0; i < list->count; i++) {
    lua_pushstring(L, list->items[i].name);
    lua_seti(L, index, n + i + 1);
  }
}

/* (module, dict, prefix, version, assign, extra_state, missing, unexpected, messages) Loads the
 * module's own members, and appends names and messages to the last three tables. extra_state: an
 * extra state is read, too. */
static int load_members(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  tocha_own_state state = {.dict = check_state_dict(L, 2),
                           .prefix = luaL_checkstring(L, 3),
                           .version = luaL_optinteger(L, 4, -1),
                           .assign = lua_toboolean(L, 5),
                           .extra_state = lua_toboolean(L, 6)};
  for (int i = 7; i <= 9; i++) luaL_checktype(L, i, LUA_TTABLE);
  tocha_named_list *lists[3];
  for (int i = 0; i < 3; i++) lists[i] = push_list(L);
  if (!tocha_module_load_own_state(CX(L), m, &state, lists[0], lists[1], lists[2]))
    return raise_error(L);
  for (int i = 0; i < 3; i++) append_to(L, 7 + i, lists[i]);
  return 0;
}

/* (module) Returns an iterator over names and children, including those that occur twice. */
static int all_children(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  lua_newtable(L);
  for (int i = 0, n = 0; i < tocha_module_child_count(m); i++) {
    if (!tocha_module_child(m, i)) continue;
    lua_pushstring(L, tocha_module_child_name(m, i));
    lua_rawseti(L, -2, ++n);
    push_module(L, tocha_module_child(m, i));
    lua_rawseti(L, -2, ++n);
  }
  push_iterator(L, lua_gettop(L), 2);
  return 1;
}

static int hooks_of(lua_State *L) {
  check_module(L, 1);
  lua_getiuservalue(L, 1, MODULE_HOOKS);
  return 1;
}

static int incompatible(lua_State *L) {
  lua_settop(L, 2);
  return push_incompatible(L);
}

void open_module_state(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"save_members", save_members},
                                       {"load_members", load_members},
                                       {"children", all_children},
                                       {"hooks", hooks_of},
                                       {"incompatible", incompatible},
                                       {"part", state_dict_part},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, torch, "_module_state");
}
