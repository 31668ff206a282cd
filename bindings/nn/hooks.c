/* hooks.c: the hooks of modules, and those of all modules: registering them, and calls of modules that have some. A list of
 * hooks stands in a table of them by kind: "before", "after", "backward", "before_backward" around calls,
 * "before_state_dict", "after_state_dict", "before_load", "after_load" around states (lua/module_state.lua). */
#include <stdatomic.h>

#include "function_table.h"
#include "lua/functions.h"
#include "lua/guard.h"
#include "nn/module.h"

static const char global_hooks_key = 0; /* registry: the table of hooks of all modules */
static atomic_int
    global_hooks; /* how many there are, in all states: look whether this one has any */

bool any_global_hooks(void) {
  return atomic_load_explicit(&global_hooks, memory_order_relaxed) > 0;
}

/* Pushes the table of the module at 1, or of all modules; nil: there are none. */
static void push_hooks(lua_State *L, bool global) {
  if (global)
    lua_rawgetp(L, LUA_REGISTRYINDEX, &global_hooks_key);
  else
    lua_getiuservalue(L, 1, MODULE_HOOKS);
}

/* --- calls ----------------------------------------------------------------------------------- */

/* The arguments from 2 on as a table. */
static void pack_arguments(lua_State *L, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushvalue(L, i + 2);
    lua_rawseti(L, -2, i + 1);
  }
}

static bool is_keywords(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || lua_rawlen(L, index) > 0) return false;
  if (!lua_getmetatable(L, index)) return true;
  lua_pop(L, 1);
  return false;
}

/* Pushes the table of arguments at 2 without its keywords, and the keywords (a last table of nothing but names; else an
 * empty one). */
static void push_split_arguments(lua_State *L) {
  lua_Integer n = luaL_len(L, 2);
  lua_rawgeti(L, 2, n);
  bool keywords = is_keywords(L, -1);
  lua_createtable(L, (int)n, 0);
  for (lua_Integer i = 1; i <= n - keywords; i++) {
    lua_rawgeti(L, 2, i);
    lua_rawseti(L, -2, i);
  }
  lua_insert(L, -2);
  if (keywords) return;
  lua_pop(L, 1);
  lua_newtable(L);
}

/* What a hook returned, at the top, in the place of the arguments at 2: a table of them, or one value. */
static void replace_arguments(lua_State *L) {
  bool list = lua_type(L, -1) == LUA_TTABLE && luaL_getmetafield(L, -1, "__name") == LUA_TNIL;
  if (!list) {
    lua_createtable(L, 1, 0);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
  }
  lua_replace(L, 2);
}

/* The arguments and keywords that a hook returned, at the top, as the arguments at 2. */
static void join_arguments(lua_State *L) {
  lua_Integer n = luaL_len(L, -2);
  lua_pushnil(L);
  if (lua_next(L, -2)) {
    lua_pop(L, 2);
    lua_rawseti(L, -2, n + 1);
  } else {
    lua_pop(L, 1);
  }
  lua_replace(L, 2);
}

/* Runs the hooks of a kind ("before", "after") in their order. For `before` the table of arguments is at index 2, for
 * `after` the output at 3 as well; what a hook returns replaces the one or the other. */
static void run_hooks_of(lua_State *L, bool global, const char *kind, bool after) {
  int top = lua_gettop(L);
  push_hooks(L, global);
  if (!lua_istable(L, -1) || lua_getfield(L, -1, kind) != LUA_TTABLE) {
    lua_settop(L, top);
    return;
  }
  int list = lua_gettop(L);
  need_stack(L, 16);
  lua_Integer last = luaL_len(L, list);
  for (lua_Integer i = 1; i <= last; i++) {
    lua_settop(L, list);
    lua_rawgeti(L, list, i);
    lua_rawgeti(L, -1, 2);
    bool keywords = lua_toboolean(L, -1);
    lua_pop(L, 1);
    lua_rawgeti(L, -1, 1);
    lua_pushvalue(L, 1);
    if (keywords)
      push_split_arguments(L);
    else
      lua_pushvalue(L, 2);
    if (after) lua_pushvalue(L, 3);
    lua_call(L, 2 + keywords + after, 1 + (keywords && !after));
    if (keywords && !after) {
      if (lua_type(L, -1) == LUA_TTABLE && lua_type(L, -2) == LUA_TTABLE) {
        join_arguments(L);
        continue;
      }
      lua_pop(L, 1);
    }
    if (lua_isnil(L, -1)) continue;
    if (after)
      lua_replace(L, 3);
    else
      replace_arguments(L);
  }
  lua_settop(L, top);
}

static void run_hooks(lua_State *L, const char *kind, bool after) {
  if (any_global_hooks()) run_hooks_of(L, true, kind, after);
  run_hooks_of(L, false, kind, after);
}

/* Where there are backward hooks: changes the table of arguments at index 2, and pushes the function that takes the outputs
 * (backward_hooks.lua); else nil. */
static void push_backward_hooks(lua_State *L) {
  bool any = false;
  for (int global = 0; global < 2; global++) {
    push_hooks(L, global);
    any = any || (lua_istable(L, -1) && (lua_getfield(L, -1, "backward") != LUA_TNIL ||
                                         lua_getfield(L, -2, "before_backward") != LUA_TNIL));
    lua_settop(L, 2);
  }
  if (!any || !push_part(L, "torch.nn.backward_hooks")) {
    lua_pushnil(L);
    return;
  }
  lua_pushvalue(L, 1);
  push_hooks(L, true);
  push_hooks(L, false);
  lua_pushvalue(L, 2);
  lua_call(L, 4, 1);
}

/* Several outputs become a table for the hooks, Python's tuple; what they leave is spread again. */
static int spread_outputs(lua_State *L) {
  if (lua_type(L, 3) != LUA_TTABLE || luaL_getmetafield(L, 3, "__name") != LUA_TNIL) {
    lua_settop(L, 3);
    return 1;
  }
  int count = (int)luaL_len(L, 3);
  luaL_checkstack(L, count, "too many outputs");
  for (int i = 1; i <= count; i++) lua_rawgeti(L, 3, i);
  return count;
}

/* (module, table of arguments): the outputs, after the forward hooks. */
static int forward_with_hooks(lua_State *L) {
  lua_pushcfunction(L, run_forward);
  lua_pushvalue(L, 1);
  lua_Integer count = luaL_len(L, 2);
  luaL_checkstack(L, (int)count + 8, "too many arguments");
  for (lua_Integer i = 1; i <= count; i++) lua_rawgeti(L, 2, i);
  lua_call(L, (int)count + 1, LUA_MULTRET);
  int results = lua_gettop(L) - 2;
  if (results == 0) lua_pushnil(L);
  if (results > 1) {
    lua_createtable(L, results, 0);
    lua_insert(L, 3);
    for (int i = results; i >= 1; i--) lua_rawseti(L, 3, i);
  }
  run_hooks(L, "after", true);
  return results > 1 ? spread_outputs(L) : lua_gettop(L) - 2;
}

/* (module, table of arguments): the outputs. */
static int call_packed(lua_State *L) {
  run_hooks(L, "before", false);
  push_backward_hooks(L);
  if (lua_isnil(L, 3)) {
    lua_settop(L, 2);
    return forward_with_hooks(L);
  }
  lua_pushcfunction(L, forward_with_hooks);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, LUA_MULTRET);
  lua_call(L, lua_gettop(L) - 3, LUA_MULTRET);
  return lua_gettop(L) - 2;
}

static bool any_always(lua_State *L, bool global) {
  push_hooks(L, global);
  bool any = lua_istable(L, -1) && lua_getfield(L, -1, "always") != LUA_TNIL;
  lua_settop(L, 2);
  return any;
}

/* The hooks that are called after an error as well, with no output; their own errors are warnings. */
static void run_always(lua_State *L, bool global) {
  int top = lua_gettop(L);
  push_hooks(L, global);
  if (lua_istable(L, -1) && lua_getfield(L, -1, "after") == LUA_TTABLE) {
    int list = lua_gettop(L);
    for (lua_Integer i = 1, n = luaL_len(L, list); i <= n; i++, lua_settop(L, list)) {
      lua_rawgeti(L, list, i);
      if (lua_getfield(L, -1, "always") == LUA_TNIL) continue;
      lua_rawgeti(L, list + 1, 2);
      bool keywords = lua_toboolean(L, -1);
      lua_rawgeti(L, list + 1, 1);
      lua_pushvalue(L, 1);
      if (keywords)
        push_split_arguments(L);
      else
        lua_pushvalue(L, 2);
      lua_pushnil(L);
      if (lua_pcall(L, 3 + keywords, 0, 0) != LUA_OK)
        tocha_warn(CX(L),
                   "module forward hook with ``always_call=True`` raised an exception that was "
                   "silenced as another error was raised in forward: %s",
                   luaL_tolstring(L, -1, NULL));
    }
  }
  lua_settop(L, top);
}

int call_with_hooks(lua_State *L) {
  int n = lua_gettop(L) - 1;
  pack_arguments(L, n);
  lua_insert(L, 2);
  lua_settop(L, 2);
  if (!any_always(L, true) && !any_always(L, false)) return call_packed(L);
  lua_pushcfunction(L, keep_traceback);
  lua_pushcfunction(L, call_packed);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  if (lua_pcall(L, 2, LUA_MULTRET, 3) == LUA_OK) return lua_gettop(L) - 3;
  run_always(L, true);
  run_always(L, false);
  return lua_error(L);
}

/* --- registering ----------------------------------------------------------------------------- */

/* A hook is a table {function, with_kwargs}. A list of them is never changed, since a call may be walking it: another one
 * takes its place. */

/* Appends the hooks of a list (nil: none) to the list at the top, all but the one at `without` (0: none). */
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

/* Upvalues: the table of lists by kind, the kind, the hook, whether it is one of all modules. */
static int remove_hook(lua_State *L) {
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(2));
  if (lua_gettable(L, lua_upvalueindex(1)) != LUA_TTABLE) return 0; /* 1: the list */
  lua_pushvalue(L, lua_upvalueindex(3));                            /* 2: the hook */
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
  host_object.data = binding_of(L);
  host_object.forward = host_object_forward;
  tocha_module_set_host_object(m, &host_object);
}

/* The table of hooks, made where there is none, is pushed. */
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
  bool
      flag; /* that the hook takes keywords; of hooks on states: the module (lua/module_state.lua) */
  bool first, always, global;
} hook_form;

/* Pushes the function at index as a hook. */
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

/* Registers the function at index; pushes its handle. */
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

/* args: self, hook */
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
