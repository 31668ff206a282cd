/* hooks.c: hooks of single modules and of all modules: their registration, and calls of modules
 * that have some.
 *
 * A table has a list of hooks for each kind: "before", "after", "backward", "before_backward"
 * around calls, "before_state_dict", "after_state_dict", "before_load", "after_load" around
 * states (lua/parts/nn/module/state.lua). */
#include <stdatomic.h>

#include "function_table.h"
#include "arguments/functions.h"
#include "lua/guard.h"
#include "nn/module.h"

static const char global_hooks_key = 0; /* registry: the table of hooks of all modules */
/* The number of hooks of all modules, in all Lua states: if 0, this state has none. */
static atomic_int global_hooks;

bool any_global_hooks(void) {
  return atomic_load_explicit(&global_hooks, memory_order_relaxed) > 0;
}

/* Pushes the table of hooks of the module at index 1, or of all modules; nil if there are none.
 * [-0, +1, -] */
static void push_hooks(lua_State *L, bool global) {
  if (global)
    lua_rawgetp(L, LUA_REGISTRYINDEX, &global_hooks_key);
  else
    lua_getiuservalue(L, 1, MODULE_HOOKS);
}

/* --- calls ----------------------------------------------------------------------------------- */

static int all_results(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L);
}

static const char caller_key = 0; /* registry: the function of lua/parts/nn/module/call.lua */

static void push_caller(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &caller_key) == LUA_TFUNCTION) return;
  lua_pop(L, 1);
  if (!push_part(L, "nn.module.call")) luaL_error(L, "torch: no part named 'nn.module.call'");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &caller_key);
}

/* (module, inputs...) Calls the module with its hooks, by lua/parts/nn/module/call.lua. */
int call_with_hooks(lua_State *L) {
  push_caller(L);
  push_hooks(L, false);
  if (any_global_hooks())
    push_hooks(L, true);
  else
    lua_pushnil(L);
  lua_rotate(L, 1, 3);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, all_results);
  return lua_gettop(L);
}

/* --- registering ----------------------------------------------------------------------------- */

/* A hook is a table {function, with_kwargs}. A list of hooks is never changed, because a call
 * may be iterating over it. A new list replaces it. */

/* Appends the hooks of the list at `list` (nil: none) to the list at the top, except the hook at
 * `without` (0: none). [-0, +0, e] */
static void append_hooks(lua_State *L, int list, int without) {
  lua_Integer at = luaL_len(L, -1), count = lua_istable(L, list) ? luaL_len(L, list) : 0;
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, list, i);
    if (without && lua_rawequal(L, -1, without))
      lua_pop(L, 1);
    else
      lua_rawseti(L, -2, ++at);
  }
}

/* Removes a hook: the `remove` of its handle. Upvalues: the table of lists by kind, the kind,
 * the hook, and if it is a hook of all modules. */
static int remove_hook(lua_State *L) {
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(2));
  if (lua_gettable(L, lua_upvalueindex(1)) != LUA_TTABLE) return 0; /* the list, at index 1 */
  lua_pushvalue(L, lua_upvalueindex(3));                            /* the hook, at index 2 */
  lua_newtable(L);
  append_hooks(L, 1, 2);
  lua_Integer before = luaL_len(L, 1), after = luaL_len(L, 3);
  if (after == before) return 0;
  if (lua_toboolean(L, lua_upvalueindex(4))) atomic_fetch_sub(&global_hooks, 1);
  if (after == 0) lua_pushnil(L);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, -2);
  lua_settable(L, lua_upvalueindex(1));
  return 0;
}

bool is_hook_removal(lua_State *L, int index) {
  bool own = lua_tocfunction(L, index) == remove_hook && lua_getupvalue(L, index, 4);
  if (!own) return false;
  bool global = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return !global;
}

void call_through_lua(lua_State *L, tocha_module *m) {
  tocha_host_object host_object = *tocha_module_get_host_object(m);
  if (host_object.forward) return;
  host_object.forward = host_object_forward;
  host_object.call = host_object_call;
  set_lua_object(L, m, host_object);
}

/* Pushes the table of hooks, and makes it if there is none. [-0, +1, m] */
static void push_new_hooks(lua_State *L, bool global) {
  push_hooks(L, global);
  if (lua_istable(L, -1)) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  if (global)
    lua_rawsetp(L, LUA_REGISTRYINDEX, &global_hooks_key);
  else
    lua_setiuservalue(L, 1, MODULE_HOOKS);
}

typedef struct hook_form {
  const char *kind;
  /* The hook takes keywords; for hooks on states, it takes the module
   * (lua/parts/nn/module/state.lua). */
  bool flag;
  bool first, always, global;
} hook_form;

/* Pushes the function at `index` as a hook. [-0, +1, m] */
static void push_hook(lua_State *L, int index, hook_form form) {
  lua_createtable(L, 2, 1);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, 1);
  lua_pushboolean(L, form.flag);
  lua_rawseti(L, -2, 2);
  if (!form.always) return;
  lua_pushboolean(L, true);
  lua_setfield(L, -2, "always");
}

/* Registers the function at `index` as a hook, and pushes its handle. [-0, +?, e] */
static int add_hook(lua_State *L, int index, hook_form form) {
  luaL_checktype(L, index, LUA_TFUNCTION);
  push_new_hooks(L, form.global);
  int hooks = lua_gettop(L), hook = hooks + 1;
  if (form.always) {
    lua_pushboolean(L, true);
    lua_setfield(L, hooks, "always");
  }
  push_hook(L, index, form);
  lua_getfield(L, hooks, form.kind);
  lua_newtable(L);
  if (!form.first) append_hooks(L, hook + 1, 0);
  lua_pushvalue(L, hook);
  lua_rawseti(L, -2, luaL_len(L, -2) + 1);
  if (form.first) append_hooks(L, hook + 1, 0);
  lua_setfield(L, hooks, form.kind);
  lua_createtable(L, 0, 1); /* the handle */
  lua_pushvalue(L, hooks);
  lua_pushstring(L, form.kind);
  lua_pushvalue(L, hook);
  lua_pushboolean(L, form.global);
  lua_pushcclosure(L, remove_hook, 4);
  lua_setfield(L, -2, "remove");
  return 1;
}

/* (self, hook, ...) Registers a hook around calls, and pushes its handle. */
static int add_call_hook(lua_State *L, const tocha_arg *args, hook_form form) {
  tocha_module *m = check_module(L, 1);
  int index = any_index(&args[1]);
  luaL_checktype(L, index, LUA_TFUNCTION);
  to_module_box(L, 1)->hooks = true;
  call_through_lua(L, m);
  return add_hook(L, index, form);
}
int torch_module_register_forward_hook(lua_State *L, const tocha_arg *args) {
  return add_call_hook(L, args,
                       (hook_form){.kind = "after",
                                   .first = args[2].value.flag,
                                   .flag = args[3].value.flag,
                                   .always = args[4].value.flag});
}
int torch_module_register_forward_pre_hook(lua_State *L, const tocha_arg *args) {
  return add_call_hook(
      L, args,
      (hook_form){.kind = "before", .first = args[2].value.flag, .flag = args[3].value.flag});
}
int torch_module_register_full_backward_hook(lua_State *L, const tocha_arg *args) {
  return add_call_hook(L, args, (hook_form){.kind = "backward", .first = args[2].value.flag});
}
int torch_module_register_full_backward_pre_hook(lua_State *L, const tocha_arg *args) {
  return add_call_hook(L, args,
                       (hook_form){.kind = "before_backward", .first = args[2].value.flag});
}

static int add_global_hook(lua_State *L, const tocha_arg *args, hook_form form) {
  form.global = true;
  int count = add_hook(L, any_index(&args[0]), form);
  atomic_fetch_add(&global_hooks, 1);
  return count;
}
int torch_nn_modules_module_register_module_forward_hook(lua_State *L, const tocha_arg *args) {
  return add_global_hook(
      L, args,
      (hook_form){.kind = "after", .flag = args[1].value.flag, .always = args[2].value.flag});
}
int torch_nn_modules_module_register_module_forward_pre_hook(lua_State *L, const tocha_arg *args) {
  return add_global_hook(L, args, (hook_form){.kind = "before"});
}
int torch_nn_modules_module_register_module_full_backward_hook(lua_State *L,
                                                               const tocha_arg *args) {
  return add_global_hook(L, args, (hook_form){.kind = "backward"});
}
int torch_nn_modules_module_register_module_full_backward_pre_hook(lua_State *L,
                                                                   const tocha_arg *args) {
  return add_global_hook(L, args, (hook_form){.kind = "before_backward"});
}

static int add_state_hook(lua_State *L, const tocha_arg *args, const char *kind, bool flag) {
  check_module(L, 1);
  return add_hook(L, any_index(&args[1]), (hook_form){.kind = kind, .flag = flag});
}
int torch_module_register_state_dict_pre_hook(lua_State *L, const tocha_arg *args) {
  return add_state_hook(L, args, "before_state_dict", true);
}
int torch_module_register_state_dict_post_hook(lua_State *L, const tocha_arg *args) {
  return add_state_hook(L, args, "after_state_dict", true);
}
int torch_module__register_state_dict_hook(lua_State *L, const tocha_arg *args) {
  return add_state_hook(L, args, "after_state_dict", false);
}
int torch_module_register_load_state_dict_pre_hook(lua_State *L, const tocha_arg *args) {
  return add_state_hook(L, args, "before_load", true);
}
int torch_module__register_load_state_dict_pre_hook(lua_State *L, const tocha_arg *args) {
  return add_state_hook(L, args, "before_load", args[2].value.flag);
}
int torch_module_register_load_state_dict_post_hook(lua_State *L, const tocha_arg *args) {
  return add_state_hook(L, args, "after_load", true);
}
