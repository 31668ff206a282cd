/* hooks.c: Lua functions as hooks on gradients. */
#include <limits.h>

#include "autograd/kept.h"
#include "function_table.h"
#include "nn/module.h"

/* An error in a hook ends the backward pass with its message. */
static bool run_hook(tocha_context *cx, void *user, tocha_tensor **grad) {
  kept *h = user;
  binding *b = h->b;
  lua_State *L = b->calling ? b->calling : b->main;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 12)) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "stack overflow") != NULL;
  if (!push_kept(L, h)) {
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

/* --- hooks of nodes ------------------------------------------------------------------------------ */

static void push_gradients(lua_State *L, int count, tocha_tensor *const *grads) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    if (!grads[i]) continue;
    push_tensor(L, grads[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* What a hook returned, from index first on: nothing, a table, or as many values as there are gradients. */
static bool take_changes(lua_State *L, tocha_context *cx, int first, int count,
                         tocha_tensor **grads) {
  int given = lua_gettop(L) - first + 1;
  if (given <= 0 || (given == 1 && lua_isnil(L, first))) return true;
  bool table = given == 1 && lua_type(L, first) == LUA_TTABLE;
  if (table) { /* what is left out at its end is nil */
    size_t length = lua_rawlen(L, first);
    given = length > (size_t)count && length < INT_MAX ? (int)length : count;
  }
  if (given != count) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "hook '<lambda>' has returned an incorrect number of values (got %d, but expected %d)",
               given, count);
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (table)
      lua_rawgeti(L, first, i + 1);
    else
      lua_pushvalue(L, first + i);
    tocha_tensor *t = to_tensor(L, -1);
    if (t && tocha_is_forgotten(t))
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a hook returned a gradient that was freed");
    else if (!t && !lua_isnil(L, -1))
      tocha_fail(cx, TOCHA_TYPE_ERROR, "expected Variable, but hook returned '%s'",
                 python_type(L, -1));
    else
      grads[i] = t ? tocha_scope_push(cx, tocha_retain(t)) : NULL;
    lua_pop(L, 1);
    if (tocha_failed(cx)) return false;
  }
  return true;
}

static bool run_node_hook(tocha_context *cx, const kept *h, int count, tocha_tensor **grads,
                          bool after, int other_count, tocha_tensor *const *others) {
  lua_State *L = h->b->calling ? h->b->calling : h->b->main;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 12)) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "stack overflow") != NULL;
  if (!push_kept(L, h)) {
    lua_settop(L, top); /* its tensor is being collected */
    return true;
  }
  push_gradients(L, count, grads);
  if (after) push_gradients(L, other_count, others);
  bool ok = call_protected(L, cx, after ? 2 : 1, LUA_MULTRET) &&
            take_changes(L, cx, top + 1, count, grads);
  lua_settop(L, top);
  return ok;
}

static bool run_before(tocha_context *cx, void *user, int count, tocha_tensor **grads,
                       int other_count, tocha_tensor *const *others) {
  return run_node_hook(cx, user, count, grads, false, other_count, others);
}
static bool run_after(tocha_context *cx, void *user, int count, tocha_tensor **grads,
                      int other_count, tocha_tensor *const *others) {
  return run_node_hook(cx, user, count, grads, true, other_count, others);
}

/* --- handles: the tensor, or node, is a user value, which Lua's collector sees ------------------------------ */

static const char HANDLE[] = "torch.RemovableHandle";

static int handle_remove(lua_State *L) {
  const uint64_t *id = luaL_checkudata(L, 1, HANDLE);
  lua_getiuservalue(L, 1, 1);
  tocha_tensor *t = to_tensor(L, -1);
  tocha_node *node = t ? tocha_grad_fn(CX(L), t) : to_node(L, -1);
  if (t || node) tocha_remove_hook(t, node, *id);
  return 0;
}

/* Pushes a handle for a hook of the tensor or node at index. */
static uint64_t *push_handle(lua_State *L, int index) {
  uint64_t *id = lua_newuserdatauv(L, sizeof *id, 1);
  luaL_setmetatable(L, HANDLE);
  lua_pushvalue(L, index);
  lua_setiuservalue(L, -2, 1);
  return id;
}

int register_node_hook(lua_State *L, tocha_node *node, bool before, int tensor) {
  uint64_t *id = push_handle(L, 1);
  kept *h = keep_value(L, 2);
  tocha_hook hook = {.call_node = before ? run_before : run_after,
                     .user = h,
                     .free = free_kept,
                     .shared = kept_shared};
  if (!tocha_register_node_hook(h->b->cx, node, hook, before, id)) {
    free_kept(h);
    return raise_error(L);
  }
  if (tensor) tie_to_tensor(L, h, *id, 2, tensor);
  return 1;
}

typedef bool (*registrar)(tocha_context *cx, tocha_tensor *t, tocha_hook hook, uint64_t *id);

static int register_hook(lua_State *L, const tocha_arg *args, registrar where) {
  tocha_tensor *t = args[0].tensor;
  int function = any_index(&args[1]);
  binding *b = binding_of(L);
  luaL_checktype(L, function, LUA_TFUNCTION);
  uint64_t *id = push_handle(L, 1);
  kept *h = keep_value(L, function);
  tocha_hook hook = {.call = run_hook, .user = h, .free = free_kept, .shared = kept_shared};
  if (!where(b->cx, t, hook, id)) {
    free_kept(h);
    return raise_error(L);
  }
  tie_to_tensor(L, h, *id, function, 1);
  return 1;
}

int torch_tensor_register_hook(lua_State *L, const tocha_arg *args) {
  return register_hook(L, args, tocha_register_hook);
}
int torch_tensor_register_post_accumulate_grad_hook(lua_State *L, const tocha_arg *args) {
  return register_hook(L, args, tocha_register_post_accumulate_hook);
}

/* --- opening ------------------------------------------------------------------------------------ */

void open_hooks(lua_State *L) {
  static const luaL_Reg handle_events[] = {{NULL, NULL}};
  static const luaL_Reg methods[] = {{"remove", handle_remove}, {NULL, NULL}};
  open_kept(L);
  new_metatable(L, HANDLE, handle_events);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
