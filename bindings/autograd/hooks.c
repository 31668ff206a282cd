/* hooks.c: Lua functions as hooks on gradients.
 *
 * A hook is kept in two ways. Where a graph may run it, the registry keeps the function. Where nothing but the userdata of
 * its tensor keeps the hook (tocha_hook_is_private), only that userdata keeps the function, in an ephemeron table: then a
 * function that refers to its own tensor is garbage together with it. The runtime says when a private hook is shared; that
 * a shared one is private again is found out after each of Lua's collections. */
#include <stdlib.h>

#include "function_table.h"
#include "nn/module.h"

typedef struct lua_hook {
  binding *b;
  struct lua_hook *next, **link; /* among all of the state */
  int function;         /* registry reference: the function, or false while the hook is private */
  tocha_tensor *tensor; /* not owned; to be touched while its userdata is alive */
  uint64_t id;
} lua_hook;

/* Registry: userdata of a tensor -> table of its functions by reference (weak keys); reference -> that userdata (weak
 * values). */
static const char functions_key = 0, tensors_key = 0;
static const char WATCH[] = "tocha.hook_watch";

/* --- who keeps the function --------------------------------------------------------------------- */

/* Pushes the userdata of the hook's tensor, or nil. */
static bool push_tensor_of(lua_State *L, const lua_hook *h) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &tensors_key);
  int type = lua_rawgeti(L, -1, h->function);
  lua_remove(L, -2);
  return type == LUA_TUSERDATA;
}

/* Called in the middle of any C function: pushes little, allocates nothing (the slots exist). */
static void hook_shared(void *user) {
  lua_hook *h = user;
  lua_State *L = h->b->main;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 6)) return;
  if (push_tensor_of(L, h)) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
    lua_pushvalue(L, -2);
    if (lua_rawget(L, -2) == LUA_TTABLE && lua_rawgeti(L, -1, h->function) == LUA_TFUNCTION)
      lua_rawseti(L, LUA_REGISTRYINDEX, h->function);
  }
  lua_settop(L, top);
}

static void leave_to_tensor(lua_State *L, const lua_hook *h) {
  if (push_tensor_of(L, h) && tocha_hook_is_private(h->tensor, h->id)) {
    lua_pushboolean(L, false);
    lua_rawseti(L, LUA_REGISTRYINDEX, h->function);
  }
  lua_pop(L, 1);
}

/* Runs at the end of a collection, for the next one. */
static int watch_gc(lua_State *L) {
  if (!is_open(L)) return 0;
  for (const lua_hook *h = binding_of(L)->hooks; h; h = h->next) leave_to_tensor(L, h);
  lua_settop(L, 1);
  luaL_setmetatable(L, WATCH); /* once more */
  return 0;
}

/* The function of the hook lies on top, the userdata of its tensor at index. */
static void keep_function(lua_State *L, lua_hook *h, int index) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, index);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, h->function);
  lua_pop(L, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &tensors_key);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, h->function);
  lua_pop(L, 2);
}

/* --- running ------------------------------------------------------------------------------------ */

static void free_hook(void *user) {
  lua_hook *h = user;
  lua_State *L = h->b->main;
  int top = lua_gettop(L);
  if (lua_checkstack(L, 6)) {
    if (push_tensor_of(L, h)) {
      lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
      lua_pushvalue(L, -2);
      if (lua_rawget(L, -2) == LUA_TTABLE) {
        lua_pushnil(L);
        lua_rawseti(L, -2, h->function);
      }
    }
    lua_settop(L, top);
    luaL_unref(L, LUA_REGISTRYINDEX, h->function);
  }
  *h->link = h->next;
  if (h->next) h->next->link = h->link;
  free(h);
}

/* An error in a hook ends the backward pass with its message. */
static bool run_hook(tocha_context *cx, void *user, tocha_tensor **grad) {
  lua_hook *h = user;
  binding *b = h->b;
  lua_State *L = b->calling ? b->calling : b->main;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 12)) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "stack overflow") != NULL;
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, h->function) != LUA_TFUNCTION) {
    lua_settop(L, top); /* its tensor is being collected */
    return true;
  }
  push_tensor(L, *grad);
  bool ok = call_protected(L, cx, 1, 1);
  if (ok && !lua_isnil(L, -1)) {
    tocha_tensor *result = to_tensor(L, -1);
    ok = result != NULL;
    if (!ok) {
      tocha_fail(cx, TOCHA_TYPE_ERROR, "expected Variable, but hook returned '%s'",
                 python_type(L, -1));
    } else if (result != *grad) {
      *grad = tocha_scope_push(cx, tocha_retain(result));
      ok = *grad != NULL;
    }
  }
  lua_settop(L, top);
  if (ok && tocha_is_forgotten(*grad)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a hook freed the gradient it was given");
    ok = false;
  }
  return ok;
}

/* --- handles: the tensor is a user value, which Lua's collector sees ------------------------------ */

static const char HANDLE[] = "torch.RemovableHandle";

static int handle_remove(lua_State *L) {
  const uint64_t *id = luaL_checkudata(L, 1, HANDLE);
  lua_getiuservalue(L, 1, 1);
  tocha_tensor *t = to_tensor(L, -1);
  if (t) tocha_remove_hook(t, tocha_grad_fn(CX(L), t), *id);
  return 0;
}

typedef bool (*registrar)(tocha_context *cx, tocha_tensor *t, tocha_hook hook, uint64_t *id);

static int register_hook(lua_State *L, const tocha_arg *args, registrar where) {
  tocha_tensor *t = args[0].tensor;
  int function = any_index(&args[1]);
  binding *b = binding_of(L);
  luaL_checktype(L, function, LUA_TFUNCTION);
  uint64_t *id = lua_newuserdatauv(L, sizeof *id, 1);
  luaL_setmetatable(L, HANDLE);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, function);
  int reference = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_hook *h = malloc(sizeof *h);
  if (!h) {
    luaL_unref(L, LUA_REGISTRYINDEX, reference);
    return luaL_error(L, "not enough memory");
  }
  lua_hook init = {b, b->hooks, &b->hooks, reference, t, 0};
  *h = init;
  if (h->next) h->next->link = &h->next;
  b->hooks = h;
  tocha_hook hook = {.call = run_hook, .user = h, .free = free_hook, .shared = hook_shared};
  if (!where(b->cx, t, hook, id)) {
    free_hook(h);
    return raise_error(L);
  }
  h->id = *id;
  lua_pushvalue(L, function);
  keep_function(L, h, 1);
  leave_to_tensor(L, h);
  return 1;
}

int torch_tensor_register_hook(lua_State *L, const tocha_arg *args) {
  return register_hook(L, args, tocha_register_hook);
}
int torch_tensor_register_post_accumulate_grad_hook(lua_State *L, const tocha_arg *args) {
  return register_hook(L, args, tocha_register_post_accumulate_hook);
}

/* --- opening ------------------------------------------------------------------------------------ */

static void new_weak_table(lua_State *L, const char *mode, const void *key) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, mode);
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void open_hooks(lua_State *L) {
  static const luaL_Reg handle_events[] = {{NULL, NULL}},
                        watch_events[] = {{"__gc", watch_gc}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"remove", handle_remove}, {NULL, NULL}};
  new_metatable(L, HANDLE, handle_events);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  new_weak_table(L, "k", &functions_key);
  new_weak_table(L, "v", &tensors_key);
  lua_newuserdatauv(L, 0, 0); /* garbage at once */
  new_metatable(L, WATCH, watch_events);
  lua_setmetatable(L, -2);
  lua_pop(L, 2);
}
