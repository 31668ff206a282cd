/* hooks.c: Lua functions as hooks on gradients. */
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
