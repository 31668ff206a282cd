/* saving.c: torch.autograd.graph.saved_tensors_hooks: Lua functions that pack the tensors saved
 * for backward. */
#include <stdlib.h>

#include "function_table.h"
#include "lua/callback.h"
#include "lua/guard.h"

/* A guard with hooks. Those of the youngest open guard are in force. */
typedef struct saving_guard {
  guard head;
  const tocha_saving_hooks *outer; /* the host's hooks, from before the first guard */
  binding *b;
  int functions; /* registry: the table {pack, unpack} */
  tocha_saving_hooks hooks;
} saving_guard;

static void leave_saving(tocha_context *cx, guard *g, bool nested) {
  saving_guard *s = (saving_guard *)g;
  const saving_guard *youngest = (const saving_guard *)youngest_guard(s->b, g->class);
  (void)nested;
  tocha_set_saving_hooks(cx, youngest ? &youngest->hooks : s->outer);
  luaL_unref(s->b->main, LUA_REGISTRYINDEX, s->functions);
  s->functions = LUA_NOREF;
}

static const guard_class saving = {
    "torch.autograd.graph.saved_tensors_hooks",
    "`local _ <close> = torch.autograd.graph.saved_tensors_hooks(pack, unpack)`, or with a "
    "function "
    "in last place",
    sizeof(saving_guard),
    0,
    leave_saving,
    NULL,
    NULL};

/* --- packed values: a table {value, unpack} in the registry -------------------------------------- */

typedef struct packed {
  lifeline *line;
  int reference;
} packed;

static void free_packed(void *value) {
  packed *p = value;
  binding *b = p->line->b;
  if (b && lua_checkstack(b->main, 4)) luaL_unref(b->main, LUA_REGISTRYINDEX, p->reference);
  release_lifeline(p->line);
  free(p);
}

typedef struct unpack_call {
  int reference;
  tocha_tensor *result;
} unpack_call;

static bool call_unpack(lua_State *L, binding *b, void *argument) {
  unpack_call *c = argument;
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->reference);
  lua_rawgeti(L, 1, 2);
  lua_rawgeti(L, 1, 1);
  lua_call(L, 1, 1);
  tocha_tensor *t = to_tensor(L, -1);
  if (t)
    c->result = tocha_scope_push(b->cx, tocha_retain(t));
  else
    tocha_fail(b->cx, TOCHA_TYPE_ERROR,
               "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
               "type %s",
               python_type(L, -1));
  return c->result != NULL;
}

static tocha_tensor *unpack(tocha_context *cx, void *value) {
  const packed *p = value;
  unpack_call c = {p->reference, NULL};
  binding *b = living_binding(p->line, cx);
  return b && call_back(b, 0, 0, call_unpack, &c) ? c.result : NULL;
}

typedef struct pack_call {
  int functions;
  tocha_tensor *tensor;
  packed *packed;
} pack_call;

static bool call_pack(lua_State *L, binding *b, void *argument) {
  const pack_call *c = argument;
  (void)b;
  lua_createtable(L, 2, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, c->functions); /* kept: the hook may close the guard */
  lua_rawgeti(L, 2, 1);
  tocha_lua_push_tensor(L, c->tensor);
  lua_call(L, 1, 1);
  lua_rawseti(L, 1, 1);
  lua_rawgeti(L, 2, 2);
  lua_rawseti(L, 1, 2);
  lua_settop(L, 1);
  c->packed->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return true;
}

static bool pack(tocha_context *cx, void *user, tocha_tensor *tensor, tocha_packed *out) {
  const saving_guard *g = user; /* invalid after the call if the function closes it */
  packed *p = malloc(sizeof *p);
  if (!p) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "not enough memory") != NULL;
  p->line = hold_lifeline(g->b);
  pack_call c = {g->functions, tensor, p};
  bool ok = call_back(g->b, 0, 0, call_pack, &c);
  if (ok)
    *out = (tocha_packed){unpack, free_packed, p};
  else
    release_lifeline(p->line), free(p);
  return ok;
}

/* --- the guard -------------------------------------------------------------------------------------------- */

static void check_callable(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TFUNCTION) return;
  if (luaL_getmetafield(L, index, "__call") == LUA_TNIL)
    raise_message(L, TOCHA_TYPE_ERROR, "'%s' object is not callable", python_type(L, index));
  lua_pop(L, 1);
}

/* (pack, unpack [, block]) Enters the mode and returns its guard, or runs the block under it and
 * returns the block's results. */
static int saved_tensors_hooks(lua_State *L) {
  lua_settop(L, 3);
  check_callable(L, 1);
  check_callable(L, 2);
  saving_guard *g = push_guard(L, &saving);
  g->b = binding_of(L);
  lua_createtable(L, 2, 0);
  for (int i = 1; i <= 2; i++) {
    lua_pushvalue(L, i);
    lua_rawseti(L, -2, i);
  }
  g->functions = luaL_ref(L, LUA_REGISTRYINDEX);
  g->hooks = (tocha_saving_hooks){pack, g};
  const saving_guard *youngest = (const saving_guard *)youngest_guard(g->b, &saving);
  g->outer = tocha_set_saving_hooks(g->b->cx, &g->hooks);
  if (youngest) g->outer = youngest->outer;
  open_guard(L, &g->head);
  if (lua_isnil(L, 3)) return 1;
  return call_guarded(L, 3);
}

void open_saving(lua_State *L, int torch) {
  lua_pushcfunction(L, saved_tensors_hooks);
  lua_setfield(L, torch, "_saved_tensors_hooks");
}
