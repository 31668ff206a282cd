/* hooks.c: Lua functions as hooks on gradients. */
#include <limits.h>

#include "autograd/kept.h"
#include "function_table.h"
#include "lua/callback.h"

static bool fail_changed(tocha_context *cx, const char *what) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", what);
  return false;
}

/* Returns the tensor that a hook returned, on top of the stack. The tensor belongs to the scope.
 * Fails if the value is not a tensor. [-0, +0, e] */
static tocha_tensor *take_tensor(lua_State *L, tocha_context *cx) {
  tocha_tensor *t = to_tensor(L, -1);
  if (t) return tocha_scope_push(cx, tocha_retain(t));
  return tocha_fail(cx, TOCHA_TYPE_ERROR, "expected Variable, but hook returned '%s'",
                    python_type(L, -1));
}

/* --- hooks of tensors ---------------------------------------------------------------------------- */

typedef struct hook_call {
  const kept *hook;
  tocha_tensor **grad;
} hook_call;

static bool call_hook(lua_State *L, binding *b, void *argument) {
  const hook_call *c = argument;
  if (!push_kept(L, c->hook)) return true; /* the hook's tensor is being collected */
  push_new_tensor(L, b, *c->grad);
  lua_call(L, 1, 1);
  if (!lua_isnil(L, -1) && to_tensor(L, -1) != *c->grad) {
    tocha_tensor *result = take_tensor(L, b->cx);
    if (!result) return false;
    *c->grad = result;
  }
  return !tocha_is_forgotten(*c->grad) ||
         fail_changed(b->cx, "a hook freed the gradient it was given");
}

/* Runs a hook of a tensor. An error in the hook ends the backward pass with its message: the
 * function returns false. */
static bool run_hook(tocha_context *cx, void *user, tocha_tensor **grad) {
  hook_call c = {user, grad};
  binding *b = living_binding(c.hook->line, cx);
  return b && call_back(b, 0, 0, call_hook, &c);
}

/* --- hooks of nodes ------------------------------------------------------------------------------ */

static void push_gradients(lua_State *L, binding *b, int count, tocha_tensor *const *grads) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    if (!grads[i]) continue;
    push_new_tensor(L, b, grads[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* Reads the gradients that a hook returned, at stack indices `first` and up. A hook may return
 * nothing (no change), one table, or one value per gradient. Returns false with an error set if
 * their number or kind is wrong. [-0, +?, e] */
static bool take_changes(lua_State *L, tocha_context *cx, int first, int count,
                         tocha_tensor **grads) {
  int given = lua_gettop(L) - first + 1;
  if (given <= 0 || (given == 1 && lua_isnil(L, first))) return true;
  bool table = given == 1 && lua_type(L, first) == LUA_TTABLE;
  if (table) { /* nil entries at the end do not count */
    size_t length = lua_rawlen(L, first);
    given = length > (size_t)count && length < INT_MAX ? (int)length : count;
  }
  if (given != count) {
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "hook '<lambda>' has returned an incorrect number of values (got %d, but expected %d)",
        given, count);
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (table)
      lua_rawgeti(L, first, i + 1);
    else
      lua_pushvalue(L, first + i);
    bool none = lua_isnil(L, -1);
    tocha_tensor *t = none ? NULL : take_tensor(L, cx);
    if (!t && !none) return false;
    if (t && tocha_is_forgotten(t))
      return fail_changed(cx, "a hook returned a gradient that was freed");
    grads[i] = t;
    lua_pop(L, 1);
  }
  return true;
}

typedef struct node_hook_call {
  const kept *hook;
  int count, other_count; /* other_count -1: a hook before the node, which has no others */
  tocha_tensor **grads, *const *others;
} node_hook_call;

static bool call_node_hook(lua_State *L, binding *b, void *argument) {
  const node_hook_call *c = argument;
  bool after = c->other_count >= 0;
  if (!push_kept(L, c->hook)) return true; /* the hook's tensor is being collected */
  push_gradients(L, b, c->count, c->grads);
  if (after) push_gradients(L, b, c->other_count, c->others);
  lua_call(L, 1 + after, LUA_MULTRET);
  return take_changes(L, b->cx, 1, c->count, c->grads);
}

static bool run_before(tocha_context *cx, void *user, int count, tocha_tensor **grads,
                       int other_count, tocha_tensor *const *others) {
  (void)cx;
  (void)other_count;
  node_hook_call c = {user, count, -1, grads, others};
  binding *b = living_binding(c.hook->line, cx);
  return b && call_back(b, 0, 0, call_node_hook, &c);
}
static bool run_after(tocha_context *cx, void *user, int count, tocha_tensor **grads,
                      int other_count, tocha_tensor *const *others) {
  (void)cx;
  node_hook_call c = {user, count, other_count, grads, others};
  binding *b = living_binding(c.hook->line, cx);
  return b && call_back(b, 0, 0, call_node_hook, &c);
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

/* Pushes a handle for a hook of the tensor or node at `index`. [-0, +1, m] */
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
  if (!tocha_register_node_hook(h->line->b->cx, node, hook, before, id)) {
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
