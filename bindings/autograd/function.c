/* function.c: torch._function, the part of torch.autograd.Function
 * (lua/torch/autograd/Function.lua) that works on the graph.
 *
 * Ownership: the node owns its function, whose ctx (a Lua table) is kept as hooks are (kept.h).
 * ctx refers to its node by a link that does not own it. A ctx that refers to the function's own
 * result is therefore garbage together with that result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/kept.h"
#include "lua/callback.h"

typedef struct link link;

/* The user data of the node. */
typedef struct function {
  lifeline *line;
  const kept *ctx; /* the node owns it, too; NULL until the forward has ended */
  link *link;      /* NULL once the link was collected */
  char *name;
  int input_count;
  bool is_tensor[]; /* for each input of the forward; each tensor among them has an edge */
} function;

/* A reference from ctx to the node: a userdata in ctx. */
struct link {
  tocha_node *node; /* NULL once the node is freed */
  bool owned;       /* the link owns the node until the forward has ended */
};

static const char LINK[] = "torch.autograd.link";

static void free_function(void *user) {
  function *f = user;
  if (f->link) f->link->node = NULL;
  release_lifeline(f->line);
  free(f->name);
  free(f);
}

static int link_gc(lua_State *L) {
  link *k = luaL_checkudata(L, 1, LINK);
  tocha_node *node = k->node;
  if (!node) return 0;
  k->node = NULL;
  ((function *)tocha_custom_user(node))->link = NULL;
  if (k->owned) tocha_node_release(node);
  return 0;
}

/* --- the backward ------------------------------------------------------------------------------- */

static bool fail_result(tocha_context *cx, const function *f, const char *format, int a, int b) {
  char text[160];
  snprintf(text, sizeof text, format, a, b);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "function %s returned %s", f->name, text);
  return false;
}

/* Reads the gradient at `index` that a backward returned for one input of the forward; nil is no
 * gradient. Returns false with an error set for another value. */
static bool take_gradient(lua_State *L, tocha_context *cx, int index, tocha_tensor **out) {
  if (lua_isnil(L, index)) return true;
  tocha_tensor *t = to_tensor(L, index);
  if (!t)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected Variable or None (got %s)",
               python_type(L, index));
  else if (tocha_is_forgotten(t))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a backward returned a gradient that was freed");
  else
    *out = tocha_scope_push(cx, tocha_retain(t));
  return !tocha_failed(cx);
}

/* Reads the results of a backward, which begin after index `base`. Returns false with an error
 * set if their number or kind is wrong. */
static bool take_gradients(lua_State *L, tocha_context *cx, const function *f, int base,
                           tocha_tensor **out) {
  int count = lua_gettop(L) - base;
  if (count == 0) { /* no result counts as None, as in Python */
    lua_pushnil(L);
    count = 1;
  }
  for (int i = count; i > f->input_count && lua_isnil(L, base + i); i--) count--;
  if (count != f->input_count)
    return fail_result(cx, f, "an incorrect number of gradients (expected %d, got %d)",
                       f->input_count, count);
  for (int i = 0; i < count; i++) {
    if (f->is_tensor[i]) {
      if (!take_gradient(L, cx, base + i + 1, out++)) return false;
    } else if (!lua_isnil(L, base + i + 1)) {
      return fail_result(cx, f,
                         "a gradient different than None at position %d, but the corresponding "
                         "forward input was not a Variable",
                         i + 1, 0);
    }
  }
  return true;
}

typedef struct backward_call {
  const function *f;
  int count;
  tocha_tensor *const *grads;
  tocha_tensor **out;
} backward_call;

/* Calls the field "backward" of ctx's metatable with ctx and the gradients. Returns false with
 * an error set if the function has no results, or if the returned gradients are unsuitable. */
static bool call_backward(lua_State *L, binding *b, void *argument) {
  const backward_call *c = argument;
  need_stack(L, c->count + 8);
  if (!c->f->ctx || !push_kept(L, c->f->ctx) ||
      luaL_getmetafield(L, 1, "backward") != LUA_TFUNCTION) {
    tocha_fail(b->cx, TOCHA_RUNTIME_ERROR, "%s has no results", c->f->name);
    return false;
  }
  lua_insert(L, 1);
  for (int i = 0; i < c->count; i++) {
    if (c->grads[i])
      push_new_tensor(L, b, c->grads[i]);
    else
      lua_pushnil(L);
  }
  lua_call(L, c->count + 1, LUA_MULTRET);
  if (!take_gradients(L, b->cx, c->f, 0, c->out)) return false;
  for (int i = 0; i < c->count; i++)
    if (c->grads[i] && tocha_is_forgotten(c->grads[i]))
      tocha_fail(b->cx, TOCHA_RUNTIME_ERROR, "a backward freed the gradient it was given");
  return !tocha_failed(b->cx);
}

static bool run_backward(tocha_context *cx, tocha_node *node, void *user,
                         tocha_tensor *const *grads, tocha_tensor **out) {
  backward_call c = {user, tocha_node_result_count(node), grads, out};
  binding *b = living_binding(c.f->line, cx);
  return b && call_back(b, 0, 0, call_backward, &c);
}

/* --- before the forward --------------------------------------------------------------------------- */

static int check_count(lua_State *L, int index) {
  lua_Integer count = luaL_checkinteger(L, index);
  luaL_argcheck(L, count >= 0 && count <= LUAI_MAXSTACK, index, "a count expected");
  return (int)count;
}

static function *new_function(lua_State *L, const char *name, int input_count) {
  function *f = malloc(sizeof *f + (size_t)input_count);
  char *text = malloc(strlen(name) + 1);
  if (!f || !text) {
    free(f);
    free(text);
    luaL_error(L, "not enough memory");
    return NULL;
  }
  memset(f, 0, sizeof *f + (size_t)input_count);
  f->line = hold_lifeline(binding_of(L));
  f->name = strcpy(text, name);
  f->input_count = input_count;
  return f;
}

/* Pushes a userdata with the tensors of the table at `index`, returns it, and sets *found to
 * their number. [-0, +1, e] */
static tocha_tensor **tensors_of(lua_State *L, int index, int count, int *found) {
  tocha_tensor **list = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *list, 0);
  *found = 0;
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    tocha_tensor *t = to_tensor(L, -1);
    lua_pop(L, 1);
    if (!t) continue;
    if (tocha_is_forgotten(t))
      raise_message(L, TOCHA_RUNTIME_ERROR, "argument %d of a function was freed", i + 1);
    list[(*found)++] = t;
  }
  return list;
}

/* (name, inputs, count) Returns a link to a new node, or nil if nothing is recorded, and a table
 * that says for each input if it requires a gradient. */
static int begin(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  int count = check_count(L, 3), tensors;
  lua_settop(L, 3);
  tocha_tensor **list = tensors_of(L, 2, count, &tensors);
  bool records = false;
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 2, i + 1);
    bool needs = tocha_requires_grad(to_tensor(L, -1));
    records |= needs;
    lua_pushboolean(L, needs);
    lua_rawseti(L, -3, i + 1);
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  lua_insert(L, -2);
  if (!records || !tocha_grad_enabled(CX(L))) return 2;
  link *k = lua_newuserdatauv(L, sizeof *k, 0);
  memset(k, 0, sizeof *k);
  luaL_setmetatable(L, LINK);
  lua_replace(L, -3);
  function *f = new_function(L, name, count);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 2, i + 1);
    f->is_tensor[i] = to_tensor(L, -1) != NULL;
    lua_pop(L, 1);
  }
  tocha_custom_function callbacks = {f->name, run_backward, free_function};
  k->node = tocha_custom_node(f->line->b->cx, &callbacks, f, tensors, list);
  if (!k->node) {
    free_function(f);
    return raise_error(L);
  }
  k->owned = true;
  f->link = k;
  return 2;
}

/* --- after the forward ---------------------------------------------------------------------------- */

/* Returns the position of t in a list of results, or -1. */
static int place_of(const tocha_custom_result *results, int count, const tocha_tensor *t) {
  for (int i = 0; i < count; i++)
    if (results[i].tensor == t) return i;
  return -1;
}

static int field_list(lua_State *L, int ctx, const char *name, int *count) {
  *count = 0;
  if (lua_getfield(L, ctx, name) != LUA_TTABLE) return lua_gettop(L);
  lua_getfield(L, -1, "n");
  *count = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return lua_gettop(L);
}

/* Marks the results that are listed in ctx.dirty_tensors and ctx.non_differentiable. [-0, +0, e] */
static void read_marks(lua_State *L, int ctx, bool records, tocha_custom_result *results,
                       int count) {
  int marked, list = field_list(L, ctx, "dirty_tensors", &marked);
  for (int i = 0; i < marked; i++) {
    lua_rawgeti(L, list, i + 1);
    tocha_tensor *t = to_tensor(L, -1);
    if (!t)
      raise_message(L, TOCHA_RUNTIME_ERROR,
                    "mark_dirty can only accept variables, but argument %d is of type %s", i,
                    python_type(L, -1));
    int place = place_of(results, count, t);
    if (place < 0)
      raise_message(L, TOCHA_RUNTIME_ERROR,
                    "Some elements marked as dirty during the forward method were not returned as "
                    "output. The inputs that are modified inplace must all be outputs of the "
                    "Function.");
    results[place].changed = true;
    lua_pop(L, 1);
  }
  list = field_list(L, ctx, "non_differentiable", &marked);
  for (int i = 0; records && i < marked; i++) {
    lua_rawgeti(L, list, i + 1);
    tocha_tensor *t = to_tensor(L, -1);
    if (!t)
      raise_message(L, TOCHA_RUNTIME_ERROR,
                    "mark_non_differentiable only accepts variable arguments, but got %s",
                    python_type(L, -1));
    int place = place_of(results, count, t);
    if (place >= 0) results[place].not_differentiable = true;
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

/* Saves the tensors of ctx.to_save in the node. [-0, +0, e] */
static void save(lua_State *L, int ctx, tocha_node *node, const tocha_custom_result *results,
                 int count) {
  int saved, list = field_list(L, ctx, "to_save", &saved);
  for (int i = 0; i < saved; i++) {
    tocha_tensor *t = NULL;
    if (lua_rawgeti(L, list, i + 1) != LUA_TNIL && !(t = to_tensor(L, -1)))
      raise_message(L, TOCHA_TYPE_ERROR,
                    "save_for_backward can only save variables, but argument %d is of type %s", i,
                    python_type(L, -1));
    if (t && tocha_is_forgotten(t))
      raise_message(L, TOCHA_RUNTIME_ERROR, "argument %d of save_for_backward was freed", i);
    int place = t ? place_of(results, count, t) : -1;
    if (place >= 0 && tocha_grad_fn(CX(L), t) == NULL) place = -1; /* it has no gradient */
    if (!tocha_custom_save(CX(L), node, t, place)) raise_error(L);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* Ends the construction of a node: its results own it from now on, and it keeps ctx. `tensor` is
 * the index of a result with history, or 0 for none. */
static void settle(lua_State *L, link *k, int ctx, int tensor) {
  function *f = tocha_custom_user(k->node);
  kept *value = keep_value(L, ctx);
  tocha_hook hook = {.user = value, .free = free_kept, .shared = kept_shared};
  uint64_t id;
  if (!tocha_keep_with_node(f->line->b->cx, k->node, hook, &id)) {
    free_kept(value);
    raise_error(L);
  }
  f->ctx = value;
  k->owned = false;
  tocha_node_release(k->node);
  if (k->node && tensor) tie_to_tensor(L, value, id, ctx, tensor);
}

/* (link or nil, ctx, inputs, input count, outputs, output count) Makes the outputs results of
 * the function, and replaces them in their table. */
static int finish(lua_State *L) {
  link *k = lua_isnil(L, 1) ? NULL : luaL_checkudata(L, 1, LINK);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  luaL_checktype(L, 5, LUA_TTABLE);
  int input_count, count = check_count(L, 6);
  tocha_context *cx = CX(L);
  if (k && (!k->node || !k->owned)) return luaL_error(L, "this function has its results already");
  tocha_tensor **inputs = tensors_of(L, 3, check_count(L, 4), &input_count);
  tocha_custom_result *results = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *results, 0);
  memset(results, 0, ((size_t)count + 1) * sizeof *results);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 5, i + 1);
    results[i].tensor = to_tensor(L, -1);
    lua_pop(L, 1);
  }
  read_marks(L, 2, k != NULL, results, count);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = tocha_custom_finish(cx, k ? k->node : NULL, input_count, inputs, count, results);
  for (int i = 0; ok && i < count; i++) {
    if (!results[i].tensor) continue;
    lua_rawgeti(L, 5, i + 1);
    if (to_tensor(L, -1) != results[i].tensor) {
      push_tensor(L, results[i].tensor);
      lua_rawseti(L, 5, i + 1);
    }
    lua_pop(L, 1);
  }
  tocha_scope_end(cx, scope, NULL);
  if (!ok) return raise_error(L);
  if (!k) return 0;
  int tied = 0;
  save(L, 2, k->node, results, count);
  for (int i = 0; !tied && i < count; i++)
    if (results[i].tensor && tocha_grad_fn(cx, results[i].tensor) == k->node) {
      lua_rawgeti(L, 5, i + 1);
      tied = lua_gettop(L);
    }
  lua_getfield(L, 2, "materialize_grads");
  tocha_custom_set_materialize(k->node, lua_isnil(L, -1) || lua_toboolean(L, -1));
  settle(L, k, 2, tied);
  return 0;
}

/* (link) Returns a table of the saved tensors. */
static int saved(lua_State *L) {
  link *k = luaL_checkudata(L, 1, LINK);
  tocha_context *cx = CX(L);
  if (!k->node) return raise_message(L, TOCHA_RUNTIME_ERROR, "the graph of this function is gone");
  int count = tocha_custom_saved_count(cx, k->node);
  if (count < 0) return raise_error(L);
  lua_createtable(L, count, 0);
  tocha_scope scope = tocha_scope_begin(cx);
  for (int i = 0; i < count && !tocha_failed(cx); i++) {
    tocha_tensor *t = tocha_custom_saved(cx, k->node, i);
    if (!t) continue;
    tocha_lua_push_tensor(L, t);
    lua_rawseti(L, -2, i + 1);
  }
  tocha_scope_end(cx, scope, NULL);
  return tocha_failed(cx) ? raise_error(L) : 1;
}

bool push_function_context(lua_State *L, const tocha_node *node) {
  const tocha_custom_function *custom = tocha_custom_function_of(node);
  if (!custom || custom->backward != run_backward) return false;
  const function *f = tocha_custom_user(node);
  if (!f->ctx) return false;
  if (push_kept(L, f->ctx)) return true;
  lua_pop(L, 1);
  return false;
}

/* Returns true if the running backward pass computes the gradient of the tensor, the argument.
 * register_multi_grad_hook counts these gradients. */
static int computes_gradient(lua_State *L) {
  lua_pushboolean(L, tocha_computes_gradient(to_tensor(L, 1)));
  return 1;
}

void open_functions_of_lua(lua_State *L, int torch) {
  static const luaL_Reg link_events[] = {{"__gc", link_gc}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"begin", begin},
                                       {"finish", finish},
                                       {"saved", saved},
                                       {"computes_gradient", computes_gradient},
                                       {NULL, NULL}};
  new_metatable(L, LINK, link_events);
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, torch, "_function");
}
