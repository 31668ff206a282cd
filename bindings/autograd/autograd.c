/* autograd.c: the graph in Lua: grad_fn, backward, torch.autograd, hooks of nodes. */
#include <stdlib.h>
#include <string.h>

#include "autograd/kept.h"
#include "function_table.h"
#include "sandbox/confined.h"

/* --- nodes ------------------------------------------------------------------------------------------- */

static const char NODE[] = "torch.Node";

static void push_node(lua_State *L, tocha_node *node) {
  if (!node) {
    lua_pushnil(L);
    return;
  }
  tocha_node **u = lua_newuserdatauv(L, sizeof *u, 0);
  *u = NULL;
  luaL_setmetatable(L, NODE);
  tocha_node_retain(node);
  *u = node;
}

static const char tensors_key =
    0; /* registry: a node's userdata -> that of its tensor, both weak */

void push_node_of(lua_State *L, tocha_node *node, int tensor) {
  tensor = lua_absindex(L, tensor);
  push_node(L, node);
  if (!node) return;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &tensors_key);
  lua_pushvalue(L, -2);
  lua_pushvalue(L, tensor);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

static tocha_node *check_node(lua_State *L) {
  tocha_node **u = luaL_checkudata(L, 1, NODE);
  if (!*u) luaL_error(L, "this node was collected");
  return *u;
}

/* Registers the function at index 2 as a hook that runs before, or after, the node at index 1. */
static int add_node_hook(lua_State *L, bool before) {
  tocha_node *node = check_node(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &tensors_key);
  lua_pushvalue(L, 1);
  lua_rawget(L, -2);
  return register_node_hook(L, node, before, lua_isnil(L, -1) ? 0 : lua_gettop(L));
}
static int node_register_hook(lua_State *L) { return add_node_hook(L, false); }
static int node_register_prehook(lua_State *L) { return add_node_hook(L, true); }

tocha_node *to_node(lua_State *L, int index) {
  tocha_node **u = luaL_testudata(L, index, NODE);
  return u ? *u : NULL;
}

static int node_gc(lua_State *L) {
  tocha_node **u = luaL_checkudata(L, 1, NODE);
  tocha_node *node = *u;
  *u = NULL;
  if (node) tocha_node_release(node);
  return 0;
}

static int node_tostring(lua_State *L) {
  tocha_node *node = check_node(L);
  const char *module = push_function_context(L, node) ? "torch.autograd.function." : "";
  lua_pushfstring(L, "<%s%s object at %p>", module, tocha_node_name(node), shown_address(L, node));
  return 1;
}

static int node_name(lua_State *L) {
  lua_pushstring(L, tocha_node_full_name(check_node(L)));
  return 1;
}

static int node_eq(lua_State *L) {
  tocha_node **a = luaL_testudata(L, 1, NODE), **b = luaL_testudata(L, 2, NODE);
  lua_pushboolean(L, a && b && *a == *b);
  return 1;
}

/* Returns a field or method of a node. next_functions is a table of {node, index}, with {nil, 0}
 * for an input without a gradient. */
static int node_index(lua_State *L) {
  tocha_node *node = check_node(L);
  const char *key = luaL_checkstring(L, 2);
  if (strcmp(key, "name") == 0) {
    lua_pushcfunction(L, node_name);
  } else if (strcmp(key, "register_hook") == 0) {
    lua_pushcfunction(L, node_register_hook);
  } else if (strcmp(key, "register_prehook") == 0) {
    lua_pushcfunction(L, node_register_prehook);
  } else if (strcmp(key, "next_functions") == 0) {
    int count = tocha_node_edge_count(node);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
      uint32_t index;
      lua_createtable(L, 2, 0);
      push_node(L, tocha_node_edge(node, i, &index));
      lua_rawseti(L, -2, 1);
      lua_pushinteger(L, index);
      lua_rawseti(L, -2, 2);
      lua_rawseti(L, -2, i + 1);
    }
  } else {
    if (push_function_context(L, node) && lua_getfield(L, -1, key) != LUA_TNIL) return 1;
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                         tocha_node_name(node), key);
  }
  return 1;
}

/* --- backward ------------------------------------------------------------------------------------- */

/* Returns a flag, which may be given as an integer, or default_value if the argument was omitted
 * or is nil. */
static bool option(lua_State *L, const tocha_arg *arg, bool default_value) {
  int index = any_index(arg);
  if (!index || lua_isnil(L, index)) return default_value;
  if (lua_isinteger(L, index)) return lua_tointeger(L, index) != 0;
  if (lua_type(L, index) != LUA_TBOOLEAN)
    raise_message(L, TOCHA_TYPE_ERROR, "'%s' object cannot be interpreted as an integer",
                  python_type(L, index));
  return lua_toboolean(L, index);
}

/* Returns the stack index of an argument, or 0 if it was omitted or is nil. */
static int given_at(lua_State *L, const tocha_arg *arg) {
  int index = any_index(arg);
  return index && !lua_isnil(L, index) ? index : 0;
}

/* Raises the error for an argument `name` that contains something other than tensors. */
static int raise_not_tensor(lua_State *L, const char *name, const char *got) {
  if (strcmp(name, "inputs") == 0)
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "all inputs have to be Tensors or GradientEdges, but got %s", got);
  if (strcmp(name, "outputs") == 0)
    return raise_message(L, TOCHA_TYPE_ERROR, "Expected output to be a torch.Tensor");
  return raise_message(L, TOCHA_TYPE_ERROR, "gradients can be either Tensors or None, but got %s",
                       got);
}

/* Returns the tensor at `index`. Replaces a GradientEdge (torch/autograd/graph.lua) there by its
 * tensor. Returns NULL for another value. [-0, +?, e] */
static tocha_tensor *tensor_or_edge(lua_State *L, int index) {
  tocha_tensor *t = to_tensor(L, index);
  index = lua_absindex(L, index);
  if (t || lua_type(L, index) != LUA_TTABLE || luaL_getmetafield(L, index, "__name") == LUA_TNIL)
    return t;
  bool is_edge = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "GradientEdge") == 0;
  lua_pop(L, 1);
  if (!is_edge) return NULL;
  lua_pushliteral(L, "tensor");
  lua_rawget(L, index);
  if ((t = to_tensor(L, -1)))
    lua_replace(L, index);
  else
    lua_pop(L, 1);
  return t;
}

/* Reads an argument that is one tensor or a table of tensors (nil entries are NULL). Returns
 * their number. `count` is the number expected, or -1 for any. The list is a userdata on the Lua
 * stack, where it lives as long as the call. [-0, +1, e] */
static int read_tensors(lua_State *L, int index, int count, tocha_tensor ***list,
                        const char *name) {
  bool one = tensor_or_edge(L, index) != NULL;
  if (lua_type(L, index) == LUA_TSTRING || strcmp(python_type(L, index), "dict") == 0)
    raise_not_tensor(L, name, "str"); /* Python would iterate over its characters, or its keys */
  if (!one && lua_type(L, index) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "'%s' object is not iterable", python_type(L, index));
  int given = one ? 1 : table_length(L, index);
  if (count > given)
    raise_message(L, TOCHA_RUNTIME_ERROR, "got %d tensors and %d gradients", count, given);
  if (count < 0) count = given;
  tocha_tensor **out = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *out, 1);
  lua_createtable(L, one ? 0 : count, 0); /* keeps the tensors, if hooks change the given table */
  int held = lua_gettop(L);
  lua_pushvalue(L, held);
  lua_setiuservalue(L, -3, 1);
  for (int i = 0; i < count; i++) {
    out[i] = NULL;
    if (one) {
      out[i] = i == 0 ? to_tensor(L, index) : NULL;
      continue;
    }
    lua_rawgeti(L, index, i + 1);
    if (!lua_isnil(L, -1) && !(out[i] = tensor_or_edge(L, -1)))
      raise_not_tensor(L, name, python_type(L, -1));
    lua_rawseti(L, held, i + 1);
  }
  lua_pop(L, 1);
  *list = out;
  return count;
}

/* Runs a backward pass, the end of both forms of backward. `inputs_at` is the stack index of
 * `inputs`, or 0 if they were omitted. */
static int run_backward(lua_State *L, tocha_backward_request *request, int inputs_at) {
  tocha_tensor **inputs = NULL;
  if (inputs_at) request->input_count = read_tensors(L, inputs_at, -1, &inputs, "inputs");
  if (inputs_at && request->input_count == 0)
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "`inputs` argument to `backward()` cannot be empty.");
  request->inputs = inputs;
  tocha_context *cx = CX(L);
  tocha_scope s = tocha_scope_begin(cx);
  bool ok = tocha_run_backward(cx, request);
  tocha_scope_end(cx, s, NULL);
  return ok ? 0 : raise_error(L);
}

int torch_tensor_backward(lua_State *L, const tocha_arg *args) {
  tocha_tensor *t = args[0].tensor, *gradient = NULL;
  int at = given_at(L, &args[1]);
  if (at && !(gradient = to_tensor(L, at))) {
    tocha_tensor **list;
    read_tensors(L, at, 1, &list, "gradient");
    gradient = list[0];
  }
  bool create_graph = option(L, &args[3], false);
  tocha_backward_request request = {.root_count = 1,
                                    .roots = &t,
                                    .gradients = &gradient,
                                    .accumulate = true,
                                    .retain_graph = option(L, &args[2], create_graph),
                                    .create_graph = create_graph};
  return run_backward(L, &request, given_at(L, &args[4]));
}

int torch_autograd_backward(lua_State *L, const tocha_arg *args) {
  tocha_tensor **roots, **gradients = NULL;
  int count = read_tensors(L, any_index(&args[0]), -1, &roots, "tensors");
  int at = given_at(L, &args[1]), old = given_at(L, &args[4]);
  if (old) tocha_warn(CX(L), "`grad_variables` is deprecated. Use `grad_tensors` instead.");
  if (at && old)
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "`grad_tensors` and `grad_variables` (deprecated) arguments both passed "
                         "to `backward()`. Please only use `grad_tensors`.");
  if (at || old) read_tensors(L, at ? at : old, count, &gradients, "grad_tensors");
  bool create_graph = option(L, &args[3], false);
  tocha_backward_request request = {.root_count = count,
                                    .roots = roots,
                                    .gradients = gradients,
                                    .accumulate = true,
                                    .retain_graph = option(L, &args[2], create_graph),
                                    .create_graph = create_graph};
  return run_backward(L, &request, given_at(L, &args[5]));
}

int torch_autograd_grad(lua_State *L, const tocha_arg *args) {
  tocha_tensor **roots, **inputs, **gradients = NULL;
  int root_count = read_tensors(L, any_index(&args[0]), -1, &roots, "outputs");
  int input_count = read_tensors(L, any_index(&args[1]), -1, &inputs, "inputs");
  int at = given_at(L, &args[2]);
  if (at) read_tensors(L, at, root_count, &gradients, "grad_outputs");
  bool create_graph = option(L, &args[4], false), materialize = option(L, &args[8], false);
  if (materialize && given_at(L, &args[6]) && !option(L, &args[6], true))
    return raise_message(L, TOCHA_VALUE_ERROR,
                         "Expected allow_unused to be True or not passed when "
                         "materialize_grads=True, but got: allow_unused=False.");
  if (!option(L, &args[5], true))
    tocha_warn(CX(L),
               "only_inputs argument is deprecated and is ignored now (defaults to True). To "
               "accumulate gradient for other parts of the graph, please use "
               "torch.autograd.backward.");
  if (option(L, &args[7], false))
    return raise_hinted(L, TOCHA_NOT_IMPLEMENTED_ERROR,
                        "call grad once for each of grad_outputs, with retain_graph = true",
                        "torch.autograd.grad: is_grads_batched is not implemented");
  tocha_tensor **results = lua_newuserdatauv(L, ((size_t)input_count + 1) * sizeof *results, 0);
  memset(results, 0, ((size_t)input_count + 1) * sizeof *results);
  tocha_backward_request request = {.root_count = root_count,
                                    .roots = roots,
                                    .gradients = gradients,
                                    .input_count = input_count,
                                    .inputs = inputs,
                                    .retain_graph = option(L, &args[3], create_graph),
                                    .create_graph = create_graph,
                                    .allow_unused = option(L, &args[6], materialize),
                                    .materialize = materialize,
                                    .results = results};
  need_stack(L, input_count + 4);
  tocha_context *cx = CX(L);
  tocha_scope s = tocha_scope_begin(cx);
  bool ok = tocha_run_backward(cx, &request);
  for (int i = 0; ok && i < input_count; i++) {
    if (results[i])
      push_tensor(L, results[i]);
    else
      lua_pushnil(L);
  }
  tocha_scope_end(cx, s, NULL);
  return ok ? input_count : raise_error(L);
}

/* --- flags --------------------------------------------------------------------------------------------- */

int torch_tensor_requires_grad_(lua_State *L, const tocha_arg *args) {
  if (!tocha_set_requires_grad(CX(L), args[0].tensor, args[1].value.flag)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

int torch_tensor_detach_(lua_State *L, const tocha_arg *args) {
  if (!tocha_detach_in_place(CX(L), args[0].tensor)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

int torch_tensor_retain_grad(lua_State *L, const tocha_arg *args) {
  return tocha_retain_grad(CX(L), args[0].tensor) ? 0 : raise_error(L);
}

void open_autograd(lua_State *L) {
  static const luaL_Reg node_events[] = {{"__gc", node_gc},
                                         {"__tostring", node_tostring},
                                         {"__eq", node_eq},
                                         {"__index", node_index},
                                         {NULL, NULL}};
  new_metatable(L, NODE, node_events);
  lua_pop(L, 1);
  open_hooks(L);
  new_weak_table(L, "kv", &tensors_key);
}
