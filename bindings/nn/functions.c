/* functions.c: nn.Parameter, nn.Buffer, nn.init and nn.utils. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "function_table.h"
#include "nn/module.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/view.h"

/* --- lists of tensors ------------------------------------------------------------------------ */

/* Stores one turn of an iterator, whose values are at `from` and up, as element n of the table
 * at `out`: its tensor, after a name or alone. Appends the name, if there is one, to the table
 * at `names` (0: nowhere). [-0, +0, m] */
static void take_turn(lua_State *L, int out, lua_Integer n, int from, int names) {
  bool named = lua_type(L, from) == LUA_TSTRING;
  if (named && names) {
    lua_pushvalue(L, from);
    lua_rawseti(L, names, (lua_Integer)lua_rawlen(L, names) + 1);
  }
  lua_pushvalue(L, named ? from + 1 : from);
  lua_rawseti(L, out, n);
}

int push_tensors(lua_State *L, int index, int names) {
  index = lua_absindex(L, index);
  lua_Integer n = 0;
  lua_newtable(L);
  int out = lua_gettop(L);
  if (to_tensor(L, index)) {
    lua_pushvalue(L, index);
    lua_rawseti(L, out, ++n);
  } else if (lua_type(L, index) == LUA_TFUNCTION) {
    while (true) {
      lua_pushvalue(L, index);
      lua_call(L, 0, 2);
      if (lua_isnil(L, out + 1)) break;
      take_turn(L, out, ++n, out + 1, names);
      lua_settop(L, out);
    }
    lua_settop(L, out);
  } else {
    lua_Integer count = luaL_len(L, index);
    for (lua_Integer i = 1; i <= count; i++) {
      lua_geti(L, index, i);
      if (lua_type(L, -1) == LUA_TTABLE && luaL_getmetafield(L, -1, "__name") == LUA_TNIL) {
        lua_geti(L, -1, 1); /* {name, tensor} */
        lua_geti(L, -2, 2);
        take_turn(L, out, ++n, lua_gettop(L) - 1, names);
      } else {
        lua_pushvalue(L, out + 1);
        lua_rawseti(L, out, ++n);
      }
      lua_settop(L, out);
    }
  }
  return (int)n;
}

/* Pushes a userdata with the tensors of the table at `index` as an array, and returns it.
 * [-0, +1, e] */
static tocha_tensor **tensor_array(lua_State *L, int index, int count) {
  tocha_tensor **array = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *array, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    array[i] = to_tensor(L, -1);
    if (!array[i])
      raise_message(L, TOCHA_TYPE_ERROR, "a tensor expected among the parameters, but got %s",
                    torch_typename(L, -1));
    lua_pop(L, 1);
  }
  return array;
}

/* --- nn.Parameter, nn.Buffer ---------------------------------------------------------------------------- */

/* Returns the given tensor, or an empty one. */
static tocha_tensor *data_or_empty(tocha_context *cx, tocha_tensor *data) {
  static const int64_t nothing[1] = {0};
  if (data) return data;
  return tocha_new(cx, 1, nothing, tocha_default_dtype(cx), tocha_default_device(cx));
}

int torch_nn_parameter(lua_State *L, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  int index = args[1].given ? (int)args[1].value.integer : 0;
  if (index && !lua_isboolean(L, index))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
                         "%s",
                         python_type(L, index));
  bool requires_grad = !index || lua_toboolean(L, index);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *data = data_or_empty(cx, args[0].tensor);
  if (data && requires_grad && !tocha_dtype_is_floating(tocha_dtype_of(data))) {
    tocha_scope_end(cx, scope, NULL);
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "Only Tensors of floating point and complex dtype can require gradients");
  }
  tocha_tensor *p = tocha_parameter_new(cx, data, requires_grad);
  if (p) push_tensor(L, p);
  tocha_scope_end(cx, scope, NULL);
  if (!p) return raise_error(L);
  share_tensor(L, -1);
  return 1;
}

int torch_nn_buffer(lua_State *L, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *b = tocha_buffer_new(cx, data_or_empty(cx, args[0].tensor), args[1].value.flag);
  if (b) push_tensor(L, b);
  tocha_scope_end(cx, scope, NULL);
  if (!b) return raise_error(L);
  share_tensor(L, -1);
  return 1;
}

/* --- nn.init --------------------------------------------------------------------------------- */

/* Calls a function of nn.init. Upvalue: the initializer. */
static int initialize(lua_State *L) {
  const tocha_initializer *init = lua_touserdata(L, lua_upvalueindex(1));
  tocha_context *cx = CX(L);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  signature s = {.function = init->name,
                 .parameters = init->parameters,
                 .count = (uint8_t)init->parameter_count,
                 .positional = (uint8_t)init->positional,
                 .python = true,
                 .spread = true};
  read_arguments(L, &s, 1, args);
  refuse_uninitialized(L, args[0].tensor, lua_pushfstring(L, "<function %s>", init->name));
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = init->call(cx, args) != NULL;
  if (ok) tocha_lua_push_tensor(L, args[0].tensor);
  tocha_scope_end(cx, scope, NULL);
  if (!ok) return raise_error(L);
  if (to_tensor(L, 1) == args[0].tensor) lua_pushvalue(L, 1);
  return 1;
}

int torch_nn_init_calculate_gain(lua_State *L, const tocha_arg *args) {
  double gain;
  if (!tocha_calculate_gain(CX(L), args[0].value.string, args[1].given ? args[1].value.real : 0.01,
                            &gain))
    return raise_error(L);
  if (gain == 1)
    lua_pushinteger(L, 1);
  else
    lua_pushnumber(L, gain);
  return 1;
}

/* --- nn.utils -------------------------------------------------------------------------------- */

/* Returns the tensors of an argument: a table, an iterator or a single tensor. [-0, +2, e] */
static tocha_tensor **read_tensors(lua_State *L, const tocha_arg *arg, int *count) {
  int index = any_index(arg);
  if (!to_tensor(L, index) && lua_type(L, index) != LUA_TFUNCTION &&
      lua_type(L, index) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "'%s' object is not iterable", python_type(L, index));
  *count = push_tensors(L, index, 0);
  return tensor_array(L, lua_gettop(L), *count); /* the table keeps the tensors */
}

int torch_nn_utils_get_total_norm(lua_State *L, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  int n;
  tocha_tensor **tensors = read_tensors(L, &args[0], &n);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *norm = tocha_total_norm(cx, n, tensors, args[1].value.real, args[2].value.flag);
  if (norm) push_tensor(L, norm);
  tocha_scope_end(cx, scope, NULL);
  return norm ? 1 : raise_error(L);
}

int torch_nn_utils_clip_grads_with_norm_(lua_State *L, const tocha_arg *args) {
  int n;
  tocha_tensor **parameters = read_tensors(L, &args[0], &n);
  if (!tocha_clip_grads_with_norm(CX(L), n, parameters, args[1].value.real, args[2].tensor))
    return raise_error(L);
  return 0;
}

int torch_nn_utils_clip_grad_norm_(lua_State *L, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  int n;
  tocha_tensor **parameters = read_tensors(L, &args[0], &n);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *norm = tocha_clip_grad_norm(cx, n, parameters, args[1].value.real,
                                            args[2].value.real, args[3].value.flag);
  if (norm) push_tensor(L, norm);
  tocha_scope_end(cx, scope, NULL);
  return norm ? 1 : raise_error(L);
}

int torch_nn_utils_clip_grad_value_(lua_State *L, const tocha_arg *args) {
  int n;
  tocha_tensor **parameters = read_tensors(L, &args[0], &n);
  if (!tocha_clip_grad_value(CX(L), n, parameters, args[1].value.real)) return raise_error(L);
  return 0;
}

int torch_nn_utils_parameters_to_vector(lua_State *L, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  int n;
  tocha_tensor **parameters = read_tensors(L, &args[0], &n);
  tocha_tensor **flat = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *flat, 0);
  static const int64_t all[1] = {-1};
  tocha_scope scope = tocha_scope_begin(cx);
  for (int i = 0; i < n; i++) flat[i] = tocha_view(cx, parameters[i], 1, all);
  tocha_tensor *vector = tocha_cat(cx, n, flat, 0);
  if (vector) push_tensor(L, vector);
  tocha_scope_end(cx, scope, NULL);
  return vector ? 1 : raise_error(L);
}

int torch_nn_utils_vector_to_parameters(lua_State *L, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  tocha_tensor *vector = to_tensor(L, any_index(&args[0]));
  if (!vector)
    return raise_message(L, TOCHA_TYPE_ERROR, "expected torch.Tensor, but got: %s",
                         torch_typename(L, any_index(&args[0])));
  int n = push_tensors(L, any_index(&args[1]), 0), table = lua_gettop(L);
  int64_t at = 0;
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, table, i);
    tocha_tensor *p = to_tensor(L, -1);
    if (!p)
      return raise_message(L, TOCHA_TYPE_ERROR, "expected torch.Tensor, but got: %s",
                           torch_typename(L, -1));
    refuse_uninitialized(L, p, "<method 'numel' of 'torch._C.TensorBase' objects>");
    if (tocha_ndim(vector) != 1 || at + tocha_numel(p) > tocha_numel(vector))
      return raise_message(L, TOCHA_RUNTIME_ERROR,
                           "shape '[%lld]' is invalid for input of size %lld",
                           (long long)tocha_numel(p), (long long)(tocha_numel(vector) - at));
    tocha_scope scope = tocha_scope_begin(cx);
    bool grad = tocha_set_grad_enabled(cx, false);
    tocha_tensor *part = tocha_narrow(cx, vector, 0, at, tocha_numel(p));
    part = part ? tocha_view(cx, part, tocha_ndim(p), tocha_sizes(p)) : NULL;
    tocha_set_grad_enabled(cx, grad);
    bool ok = part && tocha_set_data(cx, p, part);
    tocha_scope_end(cx, scope, NULL);
    if (!ok) return raise_error(L);
    at += tocha_numel(p);
    lua_pop(L, 1);
  }
  return 0;
}

/* (Parameter, data, requires_grad) Calls nn.Parameter without its first argument, the class.
 * Upvalue: the function of the list. */
static int call_parameter(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_replace(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

void open_nn_functions(lua_State *L, int torch) {
  lua_getfield(L, torch, "nn");
  int nn = lua_gettop(L);
  lua_createtable(L, 0, 0); /* Parameter is a callable value */
  lua_createtable(L, 0, 2);
  register_functions(L, nn, "torch.nn");
  lua_getfield(L, nn, "Parameter");
  lua_pushcclosure(L, call_parameter, 1);
  lua_setfield(L, -2, "__call");
  lua_pushliteral(L, "torch.nn.class");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  lua_setfield(L, nn, "Parameter");
  push_namespace(L, "nn.init");
  for (int i = 0; tocha_initializer_at(i); i++) {
    lua_pushlightuserdata(L, (void *)tocha_initializer_at(i));
    lua_pushcclosure(L, initialize, 1);
    lua_setfield(L, -2, tocha_initializer_at(i)->name);
  }
  register_functions(L, -1, "torch.nn.init");
  lua_pop(L, 1);
  push_namespace(L, "nn.utils");
  register_functions(L, -1, "torch.nn.utils");
  lua_pop(L, 1);
  push_namespace(L, "nn.modules.module");
  register_functions(L, -1, "torch.nn.modules.module");
  lua_settop(L, nn - 1);
}
