/* nn_functions.c: nn.Parameter, nn.init and nn.utils. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "module.h"
#include "nn/initializer.h"

/* --- lists of tensors ------------------------------------------------------------------------ */

/* Appends the tensor among the results of an iterator's turn, which lie from `from` on. */
static bool take_turn(lua_State *L, int out, lua_Integer n, int from, bool *names) {
  bool named = lua_type(L, from) == LUA_TSTRING;
  if (named) *names = true;
  lua_pushvalue(L, named ? from + 1 : from);
  lua_rawseti(L, out, n);
  return true;
}

int push_tensors(lua_State *L, int index, bool *names) {
  index = lua_absindex(L, index);
  lua_Integer n = 0;
  *names = false;
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

/* The tensors of the table at index as an array in a userdata pushed on the stack. */
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

/* --- nn.Parameter ---------------------------------------------------------------------------- */

static int parameter(lua_State *L) {
  static const tocha_parameter parameters[] = {
      {"data", TOCHA_KIND_TENSOR, true, false, false, false, {0}, "Tensor"},
      {"requires_grad",
       TOCHA_KIND_BOOL,
       false,
       true,
       false,
       false,
       {.value.flag = true, .given = true},
       "bool"}};
  tocha_context *cx = CX(L);
  tocha_arg args[2];
  static const int64_t nothing[1] = {0};
  lua_remove(L, 1); /* the class */
  read_python_arguments(L, "Parameter.__new__", parameters, 2, 2, 1, args);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *data = args[0].tensor;
  if (!data) data = tocha_new(cx, 1, nothing, tocha_default_dtype(cx), tocha_default_device(cx));
  if (data && args[1].value.flag && !tocha_dtype_is_floating((tocha_dtype)data->dtype)) {
    tocha_scope_end(cx, scope, NULL);
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "Only Tensors of floating point and complex dtype can require gradients");
  }
  tocha_tensor *p = tocha_parameter_new(cx, data, args[1].value.flag);
  if (p) push_tensor(L, p);
  tocha_scope_end(cx, scope, NULL);
  if (!p) return raise_error(L);
  share_tensor(L, -1);
  return 1;
}

/* --- nn.init --------------------------------------------------------------------------------- */

static int initialize(lua_State *L) {
  const tocha_initializer *init = lua_touserdata(L, lua_upvalueindex(1));
  tocha_context *cx = CX(L);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  read_python_arguments(L, init->name, init->parameters, init->parameter_count, init->positional, 1,
                        args);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = init->call(cx, args) != NULL;
  if (ok) push_shared_tensor(L, args[0].tensor);
  tocha_scope_end(cx, scope, NULL);
  if (!ok) return raise_error(L);
  if (to_tensor(L, 1) == args[0].tensor) lua_pushvalue(L, 1);
  return 1;
}

static int calculate_gain(lua_State *L) {
  static const tocha_parameter parameters[] = {
      {"nonlinearity", TOCHA_KIND_STRING, false, false, false, false, {0}, "str"},
      {"param", TOCHA_KIND_FLOAT, true, false, false, false, {0}, "float"}};
  tocha_arg args[2];
  double gain;
  read_python_arguments(L, "calculate_gain", parameters, 2, 2, 1, args);
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

/* A lone table with keywords, {tensors, max_norm = 1} or {tensors = ..., max_norm = 1}, spread over
 * the stack: the tensors, what else its array part holds, the other keywords. */
static void spread_table(lua_State *L, const char *name) {
  bool keywords = false;
  lua_newtable(L); /* 2: the other keywords */
  for (lua_pushnil(L); lua_next(L, 1);) {
    bool string = lua_type(L, -2) == LUA_TSTRING;
    keywords = keywords || string;
    if (string && strcmp(lua_tostring(L, -2), name) != 0) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, 2);
    } else {
      lua_pop(L, 1);
    }
  }
  if (!keywords) {
    lua_settop(L, 1);
    return;
  }
  int n = table_length(L, 1), from = 1;
  if (lua_getfield(L, 1, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_rawgeti(L, 1, from++);
  }
  luaL_checkstack(L, n + 4, NULL);
  for (int i = from; i <= n; i++) lua_rawgeti(L, 1, i);
  lua_pushvalue(L, 2);
  lua_remove(L, 1);
  lua_remove(L, 1);
}

/* (tensors, ...): brings the first argument, by keyword `name` or not, to index 1 as a table of
 * tensors; the rest is read as usual. Returns the number of tensors. */
static int take_tensors(lua_State *L, const char *name) {
  bool names;
  if (lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TTABLE) {
    if (lua_getmetatable(L, 1))
      lua_pop(L, 1);
    else
      spread_table(L, name);
  }
  if (!to_tensor(L, 1) && lua_type(L, 1) != LUA_TFUNCTION && lua_type(L, 1) != LUA_TTABLE)
    raise_message(L, TOCHA_TYPE_ERROR, "'%s' object is not iterable", python_type(L, 1));
  int n = push_tensors(L, 1, &names);
  lua_replace(L, 1);
  return n;
}

static int take_parameters(lua_State *L) { return take_tensors(L, "parameters"); }

static int get_total_norm(lua_State *L) {
  static const tocha_parameter parameters[] = {
      {"tensors", TOCHA_KIND_TENSORS, false, false, false, false, {0}, "list"},
      {"norm_type",
       TOCHA_KIND_FLOAT,
       false,
       true,
       false,
       false,
       {.value.real = 2, .given = true},
       "float"},
      {"error_if_nonfinite", TOCHA_KIND_BOOL, false, true, false, false, {.given = true}, "bool"},
      {"foreach", TOCHA_KIND_BOOL, true, false, false, false, {0}, "bool"}};
  tocha_context *cx = CX(L);
  tocha_arg args[4];
  int n = take_tensors(L, "tensors");
  read_python_arguments(L, "get_total_norm", parameters, 4, 4, 1, args);
  tocha_tensor **tensors = tensor_array(L, 1, n);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *norm = tocha_total_norm(cx, n, tensors, args[1].value.real, args[2].value.flag);
  if (norm) push_tensor(L, norm);
  tocha_scope_end(cx, scope, NULL);
  return norm ? 1 : raise_error(L);
}

static int clip_grads_with_norm_(lua_State *L) {
  static const tocha_parameter parameters[] = {
      {"parameters", TOCHA_KIND_TENSORS, false, false, false, false, {0}, "list"},
      {"max_norm", TOCHA_KIND_FLOAT, false, false, false, false, {0}, "float"},
      {"total_norm", TOCHA_KIND_TENSOR, false, false, false, false, {0}, "Tensor"},
      {"foreach", TOCHA_KIND_BOOL, true, false, false, false, {0}, "bool"}};
  tocha_arg args[4];
  int n = take_parameters(L);
  read_python_arguments(L, "clip_grads_with_norm_", parameters, 4, 4, 1, args);
  if (!tocha_clip_grads_with_norm(CX(L), n, tensor_array(L, 1, n), args[1].value.real,
                                  args[2].tensor))
    return raise_error(L);
  return 0;
}

static int clip_grad_norm_(lua_State *L) {
  static const tocha_parameter parameters[] = {
      {"parameters", TOCHA_KIND_TENSORS, false, false, false, false, {0}, "list"},
      {"max_norm", TOCHA_KIND_FLOAT, false, false, false, false, {0}, "float"},
      {"norm_type",
       TOCHA_KIND_FLOAT,
       false,
       true,
       false,
       false,
       {.value.real = 2, .given = true},
       "float"},
      {"error_if_nonfinite", TOCHA_KIND_BOOL, false, true, false, false, {.given = true}, "bool"},
      {"foreach", TOCHA_KIND_BOOL, true, false, false, false, {0}, "bool"}};
  tocha_context *cx = CX(L);
  tocha_arg args[5];
  int n = take_parameters(L);
  read_python_arguments(L, "clip_grad_norm_", parameters, 5, 5, 1, args);
  tocha_tensor **tensors = tensor_array(L, 1, n);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *norm = tocha_clip_grad_norm(cx, n, tensors, args[1].value.real, args[2].value.real,
                                            args[3].value.flag);
  if (norm) push_tensor(L, norm);
  tocha_scope_end(cx, scope, NULL);
  return norm ? 1 : raise_error(L);
}

static int clip_grad_value_(lua_State *L) {
  static const tocha_parameter parameters[] = {
      {"parameters", TOCHA_KIND_TENSORS, false, false, false, false, {0}, "list"},
      {"clip_value", TOCHA_KIND_FLOAT, false, false, false, false, {0}, "float"},
      {"foreach", TOCHA_KIND_BOOL, true, false, false, false, {0}, "bool"}};
  tocha_arg args[3];
  int n = take_parameters(L);
  read_python_arguments(L, "clip_grad_value_", parameters, 3, 3, 1, args);
  if (!tocha_clip_grad_value(CX(L), n, tensor_array(L, 1, n), args[1].value.real))
    return raise_error(L);
  return 0;
}

/* Calls torch's function or a tensor's method by name; the arguments lie on the stack. */
static void call_method(lua_State *L, const char *name, int arguments) {
  lua_getfield(L, -arguments, name);
  lua_insert(L, -arguments - 1);
  lua_call(L, arguments, 1);
}

static int parameters_to_vector(lua_State *L) {
  int n = take_parameters(L);
  lua_createtable(L, n, 0);
  int flat = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, 1, i);
    lua_pushinteger(L, -1);
    call_method(L, "view", 2);
    lua_rawseti(L, flat, i);
  }
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_getfield(L, -1, "cat");
  lua_pushvalue(L, flat);
  lua_call(L, 1, 1);
  return 1;
}

static int vector_to_parameters(lua_State *L) {
  bool names;
  tocha_context *cx = CX(L);
  tocha_tensor *vector = to_tensor(L, 1);
  if (!vector)
    return raise_message(L, TOCHA_TYPE_ERROR, "expected torch.Tensor, but got: %s",
                         torch_typename(L, 1));
  int n = push_tensors(L, 2, &names), table = lua_gettop(L);
  int64_t at = 0;
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, table, i);
    tocha_tensor *p = to_tensor(L, -1);
    if (!p)
      return raise_message(L, TOCHA_TYPE_ERROR, "expected torch.Tensor, but got: %s",
                           torch_typename(L, -1));
    int64_t strides[TOCHA_MAX_DIMS];
    if (vector->ndim != 1 || at + p->numel > vector->numel)
      return raise_message(L, TOCHA_RUNTIME_ERROR,
                           "shape '[%lld]' is invalid for input of size %lld", (long long)p->numel,
                           (long long)(vector->numel - at));
    tocha_row_major_strides(p->ndim, p->sizes, strides);
    for (int k = 0; k < p->ndim; k++)
      strides[k] = tocha_wrapping_product(strides[k], vector->strides[0]);
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *part = tocha_alias(cx, vector, p->ndim, p->sizes, strides,
                                     vector->offset + at * vector->strides[0]);
    bool ok = part && tocha_set_data(cx, p, part);
    tocha_scope_end(cx, scope, NULL);
    if (!ok) return raise_error(L);
    at += p->numel;
    lua_pop(L, 1);
  }
  return 0;
}

void open_nn_functions(lua_State *L, int nn) {
  static const luaL_Reg utils[] = {{"clip_grad_norm_", clip_grad_norm_},
                                   {"clip_grad_value_", clip_grad_value_},
                                   {"get_total_norm", get_total_norm},
                                   {"clip_grads_with_norm_", clip_grads_with_norm_},
                                   {"parameters_to_vector", parameters_to_vector},
                                   {"vector_to_parameters", vector_to_parameters},
                                   {NULL, NULL}};
  lua_createtable(L, 0, 0); /* Parameter: a value that can be called */
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, parameter);
  lua_setfield(L, -2, "__call");
  lua_pushliteral(L, "torch.nn.class");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  lua_setfield(L, nn, "Parameter");
  lua_createtable(L, 0, tocha_initializer_count + 1);
  for (int i = 0; i < tocha_initializer_count; i++) {
    lua_pushlightuserdata(L, (void *)&tocha_initializers[i]);
    lua_pushcclosure(L, initialize, 1);
    lua_setfield(L, -2, tocha_initializers[i].name);
  }
  lua_pushcfunction(L, calculate_gain);
  lua_setfield(L, -2, "calculate_gain");
  lua_setfield(L, nn, "init");
  luaL_newlib(L, utils);
  lua_setfield(L, nn, "utils");
}
