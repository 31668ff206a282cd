/* methods.c: tensor methods that are questions, or that deal with the graph. */
#include <string.h>

#include "binding.h"

/* --- questions ------------------------------------------------------------------------------------ */

static tocha_tensor *self_of(lua_State *L, const char *method) {
  return check_tensor(L, 1, method, "self", 0);
}

/* A dimension argument, from 0, negative from the end. */
static int64_t check_dim(lua_State *L, int index, const tocha_tensor *t) {
  int64_t dim = luaL_checkinteger(L, index);
  if (!tocha_wrap_dim(CX(L), &dim, t->ndim)) raise_error(L);
  return dim;
}

static int tensor_size(lua_State *L) {
  tocha_tensor *t = self_of(L, "size");
  if (lua_type(L, 2) == LUA_TTABLE) lua_getfield(L, 2, "dim"), lua_replace(L, 2);
  if (lua_isnoneornil(L, 2))
    push_size(L, t->ndim, t->sizes);
  else
    lua_pushinteger(L, t->sizes[check_dim(L, 2, t)]);
  return 1;
}

static int tensor_stride(lua_State *L) {
  tocha_tensor *t = self_of(L, "stride");
  if (!lua_isnoneornil(L, 2)) {
    lua_pushinteger(L, t->strides[check_dim(L, 2, t)]);
    return 1;
  }
  lua_createtable(L, t->ndim, 0);
  for (int i = 0; i < t->ndim; i++) {
    lua_pushinteger(L, t->strides[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int tensor_dim(lua_State *L) {
  lua_pushinteger(L, self_of(L, "dim")->ndim);
  return 1;
}

static int tensor_numel(lua_State *L) {
  lua_pushinteger(L, self_of(L, "numel")->numel);
  return 1;
}

static int tensor_storage_offset(lua_State *L) {
  lua_pushinteger(L, self_of(L, "storage_offset")->offset);
  return 1;
}

static int tensor_element_size(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)tocha_dtype_size(self_of(L, "element_size")->dtype));
  return 1;
}

static int tensor_is_contiguous(lua_State *L) {
  lua_pushboolean(L, tocha_is_contiguous(self_of(L, "is_contiguous")));
  return 1;
}

static int tensor_is_floating_point(lua_State *L) {
  lua_pushboolean(L, tocha_dtype_is_floating(self_of(L, "is_floating_point")->dtype));
  return 1;
}

static int tensor_is_complex(lua_State *L) {
  self_of(L, "is_complex");
  lua_pushboolean(L, 0);
  return 1;
}

static int tensor_is_signed(lua_State *L) {
  tocha_tensor *t = self_of(L, "is_signed");
  lua_pushboolean(L, t->dtype != TOCHA_BOOL && t->dtype != TOCHA_UINT8);
  return 1;
}

static int tensor_data_ptr(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)(intptr_t)tocha_data(self_of(L, "data_ptr")));
  return 1;
}

static int tensor_get_device(lua_State *L) {
  lua_pushinteger(L, self_of(L, "get_device")->device.index);
  return 1;
}

static int tensor_is_inference(lua_State *L) {
  lua_pushboolean(L, self_of(L, "is_inference")->flags & TOCHA_FLAG_INFERENCE);
  return 1;
}

static int tensor_is_view(lua_State *L) {
  lua_pushboolean(L, self_of(L, "_is_view")->base != NULL);
  return 1;
}

static int tensor_is_same_size(lua_State *L) {
  lua_pushboolean(L, tocha_same_sizes(self_of(L, "is_same_size"),
                                      check_tensor(L, 2, "is_same_size", "other", 1)));
  return 1;
}

static int tensor_is_set_to(lua_State *L) {
  tocha_tensor *a = self_of(L, "is_set_to"), *b = check_tensor(L, 2, "is_set_to", "tensor", 1);
  lua_pushboolean(L, a->storage == b->storage && a->offset == b->offset && tocha_same_sizes(a, b) &&
                         memcmp(a->strides, b->strides, a->ndim * sizeof *a->strides) == 0);
  return 1;
}

/* --- the graph --------------------------------------------------------------------------------------- */

static const char NODE[] = "torch.Node";

void push_node(lua_State *L, tocha_node *node) {
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

static int node_gc(lua_State *L) {
  tocha_node **u = luaL_checkudata(L, 1, NODE);
  tocha_node *node = *u;
  *u = NULL;
  if (node) tocha_node_release(node);
  return 0;
}

static int node_tostring(lua_State *L) {
  tocha_node **u = luaL_checkudata(L, 1, NODE);
  lua_pushfstring(L, "<%s object at %p>", tocha_node_name(*u), (void *)*u);
  return 1;
}

static int node_name(lua_State *L) {
  tocha_node **u = luaL_checkudata(L, 1, NODE);
  lua_pushstring(L, tocha_node_name(*u));
  return 1;
}

static int node_eq(lua_State *L) {
  tocha_node **a = luaL_testudata(L, 1, NODE), **b = luaL_testudata(L, 2, NODE);
  lua_pushboolean(L, a && b && *a == *b);
  return 1;
}

/* next_functions: a table of {node, index}, {nil, 0} where no gradient goes. */
static int node_index(lua_State *L) {
  tocha_node **u = luaL_checkudata(L, 1, NODE);
  const char *key = luaL_checkstring(L, 2);
  if (strcmp(key, "name") == 0) {
    lua_pushcfunction(L, node_name);
  } else if (strcmp(key, "next_functions") == 0) {
    lua_createtable(L, (*u)->edge_count, 0);
    for (int i = 0; i < (*u)->edge_count; i++) {
      lua_createtable(L, 2, 0);
      push_node(L, (*u)->edges[i].node);
      lua_rawseti(L, -2, 1);
      lua_pushinteger(L, (*u)->edges[i].index);
      lua_rawseti(L, -2, 2);
      lua_rawseti(L, -2, i + 1);
    }
  } else {
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                         tocha_node_name(*u), key);
  }
  return 1;
}

static bool option(lua_State *L, int kw, int index, const char *name, bool standard) {
  if (kw && lua_getfield(L, kw, name) != LUA_TNIL) return lua_toboolean(L, -1);
  return lua_isnoneornil(L, index) || index > lua_gettop(L) || lua_type(L, index) == LUA_TTABLE ? standard : lua_toboolean(L, index);
}

/* t:backward(gradient, retain_graph, create_graph, inputs) */
static int tensor_backward(lua_State *L) {
  tocha_tensor *t = self_of(L, "backward"), *gradient = NULL;
  int kw, n = split_arguments(L, 2, &kw);
  int gradient_index = n >= 1 ? 2 : 0;
  if (kw && lua_getfield(L, kw, "gradient") != LUA_TNIL) gradient_index = lua_gettop(L);
  if (gradient_index && !lua_isnil(L, gradient_index)) {
    gradient = to_tensor(L, gradient_index);
    if (!gradient)
      return raise_message(L, TOCHA_TYPE_ERROR, "gradients can be either Tensors or None, but got %s",
                           python_type(L, gradient_index));
  }
  bool create_graph = option(L, kw, n >= 3 ? 4 : 0, "create_graph", false);
  bool retain_graph = option(L, kw, n >= 2 ? 3 : 0, "retain_graph", create_graph);
  tocha_context *cx = CX(L);
  int inputs = 0;
  if (kw && lua_getfield(L, kw, "inputs") != LUA_TNIL) inputs = lua_gettop(L);
  bool ok;
  tocha_scope s = tocha_scope_begin(cx);
  if (inputs) {
    int count = to_tensor(L, inputs) ? 1 : (int)lua_rawlen(L, inputs);
    tocha_tensor **list = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *list, 0);
    for (int i = 0; i < count; i++) {
      if (to_tensor(L, inputs)) {
        list[i] = to_tensor(L, inputs);
        continue;
      }
      lua_rawgeti(L, inputs, i + 1);
      list[i] = check_tensor(L, -1, "backward", "inputs", 4);
      lua_pop(L, 1);
    }
    ok = tocha_backward_inputs(cx, t, gradient, retain_graph, create_graph, count, list);
  } else {
    ok = tocha_backward(cx, t, gradient, retain_graph, create_graph);
  }
  tocha_scope_end(cx, s, NULL);
  return ok ? 0 : raise_error(L);
}

/* The tensors of an argument that may be one tensor or a table of them; absent entries are NULL. */
static int read_tensors(lua_State *L, int index, tocha_tensor ***list, const char *name) {
  int count = to_tensor(L, index) ? 1 : (int)luaL_len(L, index);
  tocha_tensor **out = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *out, 0);
  for (int i = 0; i < count; i++) {
    if (to_tensor(L, index)) {
      out[i] = to_tensor(L, index);
      continue;
    }
    lua_rawgeti(L, index, i + 1);
    out[i] = lua_isnil(L, -1) ? NULL : check_tensor(L, -1, "grad", name, 1);
    lua_pop(L, 1);
  }
  *list = out;
  return count;
}

/* torch.autograd.grad(outputs, inputs, grad_outputs, {retain_graph, create_graph, allow_unused}) */
static int autograd_grad(lua_State *L) {
  int kw, n = split_arguments(L, 1, &kw);
  static const char *const names[] = {"outputs", "inputs", "grad_outputs", "retain_graph", "create_graph"};
  int at[5] = {0};
  for (int i = 0; i < 5; i++) {
    if (i < n) at[i] = 1 + i;
    if (kw && lua_getfield(L, kw, names[i]) != LUA_TNIL) at[i] = lua_gettop(L);
    if (at[i] && lua_isnil(L, at[i])) at[i] = 0;
  }
  if (!at[0] || !at[1])
    return raise_message(L, TOCHA_TYPE_ERROR, "grad() missing 1 required positional argument: '%s'",
                         at[0] ? "inputs" : "outputs");
  tocha_tensor **outputs, **inputs, **grads = NULL, **results;
  int output_count = read_tensors(L, at[0], &outputs, "outputs");
  int input_count = read_tensors(L, at[1], &inputs, "inputs");
  if (at[2]) {
    int given = read_tensors(L, at[2], &grads, "grad_outputs");
    if (given > output_count)
      return raise_message(L, TOCHA_RUNTIME_ERROR, "got %d tensors and %d gradients", output_count, given);
    for (int i = given; i < output_count; i++) grads = NULL;
  }
  bool create_graph = at[4] ? lua_toboolean(L, at[4]) : false;
  bool retain_graph = at[3] ? lua_toboolean(L, at[3]) : create_graph;
  bool materialize = option(L, kw, 0, "materialize_grads", false);
  bool allow_unused = option(L, kw, 0, "allow_unused", materialize);
  results = lua_newuserdatauv(L, ((size_t)input_count + 1) * sizeof *results, 0);
  memset(results, 0, (size_t)input_count * sizeof *results);
  tocha_context *cx = CX(L);
  tocha_scope s = tocha_scope_begin(cx);
  bool ok = tocha_gradients(cx, output_count, outputs, input_count, inputs, grads, retain_graph,
                            create_graph, allow_unused, results);
  luaL_checkstack(L, input_count + 4, NULL);
  for (int i = 0; ok && i < input_count; i++) {
    if (!results[i] && materialize) ok = (results[i] = tocha_zeros_like(cx, inputs[i])) != NULL;
    if (!ok) break;
    if (results[i])
      push_tensor(L, results[i]);
    else
      lua_pushnil(L);
  }
  tocha_scope_end(cx, s, NULL);
  return ok ? input_count : raise_error(L);
}

/* torch.autograd.backward(tensors, grad_tensors, {retain_graph, create_graph}) */
static int autograd_backward(lua_State *L) {
  int kw, n = split_arguments(L, 1, &kw);
  tocha_tensor **tensors, **grads = NULL;
  int count = read_tensors(L, 1, &tensors, "tensors"), given = 0;
  if (n >= 2 && !lua_isnil(L, 2)) given = read_tensors(L, 2, &grads, "grad_tensors");
  if (kw && lua_getfield(L, kw, "grad_tensors") != LUA_TNIL)
    given = read_tensors(L, lua_gettop(L), &grads, "grad_tensors");
  bool create_graph = option(L, kw, 0, "create_graph", false);
  bool retain_graph = option(L, kw, 0, "retain_graph", create_graph);
  tocha_context *cx = CX(L);
  for (int i = 0; i < count; i++) {
    tocha_scope s = tocha_scope_begin(cx);
    bool ok = tocha_backward(cx, tensors[i], i < given ? grads[i] : NULL,
                             retain_graph || i + 1 < count, create_graph);
    tocha_scope_end(cx, s, NULL);
    if (!ok) return raise_error(L);
  }
  return 0;
}

static int tensor_requires_grad_(lua_State *L) {
  tocha_tensor *t = self_of(L, "requires_grad_");
  bool value = true;
  if (lua_type(L, 2) == LUA_TBOOLEAN) value = lua_toboolean(L, 2);
  if (lua_type(L, 2) == LUA_TTABLE) {
    lua_getfield(L, 2, "requires_grad");
    value = lua_isnil(L, -1) || lua_toboolean(L, -1);
  }
  if (!tocha_set_requires_grad(CX(L), t, value)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

static int tensor_retain_grad(lua_State *L) {
  return tocha_retain_grad(CX(L), self_of(L, "retain_grad")) ? 0 : raise_error(L);
}

static int tensor_share_memory_(lua_State *L) {
  lua_settop(L, 1);
  return 1;
}

void open_methods(lua_State *L, int torch, int methods) {
  static const luaL_Reg node_events[] = {{"__gc", node_gc},   {"__tostring", node_tostring},
                                         {"__eq", node_eq},   {"__index", node_index},
                                         {NULL, NULL}};
  static const luaL_Reg questions[] = {{"size", tensor_size},
                                       {"stride", tensor_stride},
                                       {"dim", tensor_dim},
                                       {"ndimension", tensor_dim},
                                       {"numel", tensor_numel},
                                       {"nelement", tensor_numel},
                                       {"storage_offset", tensor_storage_offset},
                                       {"element_size", tensor_element_size},
                                       {"is_contiguous", tensor_is_contiguous},
                                       {"is_floating_point", tensor_is_floating_point},
                                       {"is_complex", tensor_is_complex},
                                       {"is_signed", tensor_is_signed},
                                       {"data_ptr", tensor_data_ptr},
                                       {"get_device", tensor_get_device},
                                       {"is_inference", tensor_is_inference},
                                       {"_is_view", tensor_is_view},
                                       {"is_same_size", tensor_is_same_size},
                                       {"is_set_to", tensor_is_set_to},
                                       {"backward", tensor_backward},
                                       {"requires_grad_", tensor_requires_grad_},
                                       {"retain_grad", tensor_retain_grad},
                                       {"share_memory_", tensor_share_memory_},
                                       {NULL, NULL}};
  static const luaL_Reg functions[] = {{"numel", tensor_numel},
                                       {"is_floating_point", tensor_is_floating_point},
                                       {"is_complex", tensor_is_complex},
                                       {"is_inference", tensor_is_inference},
                                       {NULL, NULL}};
  luaL_newmetatable(L, NODE);
  luaL_setfuncs(L, node_events, 0);
  lua_pop(L, 1);
  lua_pushvalue(L, methods);
  luaL_setfuncs(L, questions, 0);
  lua_pop(L, 1);
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_getfield(L, -1, "autograd");
  lua_pushcfunction(L, autograd_grad);
  lua_setfield(L, -2, "grad");
  lua_pushcfunction(L, autograd_backward);
  lua_setfield(L, -2, "backward");
  lua_pop(L, 2);
}
