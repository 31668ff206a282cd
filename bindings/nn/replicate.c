/* replicate.c: copies of a tree of modules with other tensors, for nn.parallel.replicate
 * (lua/torch/nn/parallel.lua). A copy has the original's class and hooks, and the Lua fields
 * that the original has at that time. */
#include "nn/module.h"

/* Stack indices of a call. At 1 to 3: the module, its tensors, their copies. */
enum { TENSORS = 4, MODULES }; /* tables: tensor -> copy, module -> copy */

static tocha_tensor *copy_of(void *user, tocha_tensor *tensor) {
  lua_State *L = user;
  tocha_tensor *copy = tensor;
  if (lua_rawgetp(L, TENSORS, tensor) == LUA_TUSERDATA) copy = to_tensor(L, -1);
  lua_pop(L, 1); /* the table of copies keeps the copy alive */
  return copy;
}

/* Pushes a copy of the table at `index`. If `deep`, copies the tables in it, too. [-0, +1, m] */
static void push_copy(lua_State *L, int index, bool deep) {
  index = lua_absindex(L, index);
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (deep && lua_type(L, -1) == LUA_TTABLE) {
      push_copy(L, -1, false);
      lua_replace(L, -2);
    }
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
}

/* Gives the userdata at the top, a copy of the one at `original`, its fields and hooks.
 * [-0, +0, m] */
static void copy_values(lua_State *L, int original, module_box *copy) {
  int top = lua_gettop(L);
  lua_getiuservalue(L, original, MODULE_FIELDS);
  push_copy(L, -1, false);
  lua_setiuservalue(L, top, MODULE_FIELDS);
  if (lua_getiuservalue(L, original, MODULE_HOOKS) == LUA_TTABLE) {
    push_copy(L, -1, true);
    lua_setiuservalue(L, top, MODULE_HOOKS);
  }
  copy->hooks = to_module_box(L, original)->hooks;
  copy->own_forward = to_module_box(L, original)->own_forward;
  lua_settop(L, top);
}

/* Pushes the copy of a module and of everything below it. [-0, +1, e] */
static void replicate_tree(lua_State *L, tocha_module *module) {
  need_stack(L, 12);
  if (lua_rawgetp(L, MODULES, module) == LUA_TUSERDATA) return;
  lua_pop(L, 1);
  push_module(L, module);
  int original = lua_gettop(L);
  lua_getiuservalue(L, original, MODULE_CLASS);
  module_box *copy = push_module_box(L, original + 1);
  copy->module = tocha_module_replica(CX(L), module, copy_of, L);
  if (!copy->module) raise_error(L);
  remember_module(L, copy);
  copy_values(L, original, copy);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, MODULES, module);
  for (int i = 0; i < tocha_module_child_count(module); i++) {
    tocha_module *child = tocha_module_child(module, i);
    const char *name = tocha_module_child_name(module, i);
    if (child) replicate_tree(L, child);
    if (!tocha_register_module(CX(L), copy->module, name, child ? to_module(L, -1) : NULL))
      raise_error(L);
    if (child) lua_pop(L, 1);
  }
  refresh_module_parts(L, original + 2, copy);
  lua_replace(L, original);
  lua_settop(L, original);
}

/* torch._replicate(module, tensors, copies) returns a copy of a module that has copies[i] in the
 * place of tensors[i]. */
static int replicate(lua_State *L) {
  tocha_module *module = check_module(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  lua_newtable(L);
  lua_newtable(L);
  lua_Integer count = luaL_len(L, 2);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 2, i);
    const tocha_tensor *tensor = to_tensor(L, -1);
    lua_rawgeti(L, 3, i);
    luaL_argcheck(L, tensor && to_tensor(L, -1), 3, "tensors expected");
    lua_rawsetp(L, TENSORS, tensor);
    lua_pop(L, 1);
  }
  replicate_tree(L, module);
  return 1;
}

/* torch._fields(module) returns the table of a module's fields in Lua. */
static int fields(lua_State *L) {
  check_module(L, 1);
  lua_getiuservalue(L, 1, MODULE_FIELDS);
  return 1;
}

/* torch._become(module, class) changes a module's class to the class of the list that it
 * extends. */
static int become(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  if (lua_type(L, 2) != LUA_TTABLE || luaL_getmetafield(L, 2, "builtin") != LUA_TLIGHTUSERDATA ||
      lua_touserdata(L, -1) != (const void *)tocha_module_class_of(m))
    return luaL_argerror(L, 2, "the class of the list that the module's class extends expected");
  tocha_module_set_host_object(m, NULL);
  tocha_module_set_host_functions(m, NULL);
  if (!tocha_module_rename(m, NULL)) return raise_error(L);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 1, MODULE_CLASS);
  return 0;
}

/* torch._remove_member(module, name) removes a member. Returns true if there was one. */
static int remove_member(lua_State *L) {
  lua_pushboolean(L, tocha_module_remove(check_module(L, 1), luaL_checkstring(L, 2)));
  return 1;
}

/* torch._compute_members(module, name) lets a module's class compute tensors that are not
 * members. `name` is the name that print shows. */
static int compute_members(lua_State *L) {
  compute_members_of(L, check_module(L, 1));
  return tocha_module_rename(check_module(L, 1), luaL_optstring(L, 2, NULL)) ? 0 : raise_error(L);
}

/* torch._is_parameter(tensor) returns true if a tensor is a parameter. */
static int is_parameter(lua_State *L) {
  lua_pushboolean(L, tocha_is_parameter(to_tensor(L, 1)));
  return 1;
}

/* torch._has_hooks(module) returns true if hooks of the module's own calls are registered. */
static int has_hooks(lua_State *L) {
  lua_pushboolean(L, check_module_box(L, 1)->hooks);
  return 1;
}

void open_replicate(lua_State *L, int torch) {
  lua_pushcfunction(L, has_hooks);
  lua_setfield(L, torch, "_has_hooks");
  lua_pushcfunction(L, replicate);
  lua_setfield(L, torch, "_replicate");
  lua_pushcfunction(L, fields);
  lua_setfield(L, torch, "_fields");
  lua_pushcfunction(L, remove_member);
  lua_setfield(L, torch, "_remove_member");
  lua_pushcfunction(L, compute_members);
  lua_setfield(L, torch, "_compute_members");
  lua_pushcfunction(L, is_parameter);
  lua_setfield(L, torch, "_is_parameter");
  lua_pushcfunction(L, become);
  lua_setfield(L, torch, "_become");
}
