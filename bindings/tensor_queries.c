/* tensor_queries.c: tensor methods that are questions about sizes, memory and kinds. */
#include <string.h>

#include "binding.h"

/* --- questions ------------------------------------------------------------------------------------ */

static tocha_tensor *self_of(lua_State *L, const char *method) {
  return check_tensor(L, 1, method, "self", 0);
}

/* As self_of, for a method that takes nothing else. */
static tocha_tensor *only_self(lua_State *L, const char *method) {
  tocha_tensor *t = self_of(L, method);
  if (lua_gettop(L) > 1)
    raise_message(L, TOCHA_TYPE_ERROR, "Tensor.%s() takes no arguments (%d given)", method,
                  lua_gettop(L) - 1);
  return t;
}

/* A dimension argument, from 0, negative from the end. */
static int64_t check_dim(lua_State *L, int index, const tocha_tensor *t, const char *method) {
  if (lua_gettop(L) > index)
    raise_message(L, TOCHA_TYPE_ERROR,
                  "%s() takes from 0 to 1 positional arguments but %d were given", method,
                  lua_gettop(L) - 1);
  if (!lua_isinteger(L, index) && !to_tensor(L, index))
    raise_message(L, TOCHA_TYPE_ERROR, "%s(): argument 'dim' (position 1) must be int, not %s",
                  method, python_type(L, index));
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
    lua_pushinteger(L, t->sizes[check_dim(L, 2, t, "size")]);
  return 1;
}

static int tensor_stride(lua_State *L) {
  tocha_tensor *t = self_of(L, "stride");
  if (!lua_isnoneornil(L, 2)) {
    lua_pushinteger(L, t->strides[check_dim(L, 2, t, "stride")]);
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
  lua_pushinteger(L, only_self(L, "dim")->ndim);
  return 1;
}

static int tensor_numel(lua_State *L) {
  lua_pushinteger(L, only_self(L, "numel")->numel);
  return 1;
}

/* torch.numel(x) */
static int numel_of(lua_State *L) {
  int n = lua_gettop(L);
  if (n == 0)
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "numel() missing 1 required positional arguments: \"input\"");
  if (n > 1)
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "numel() takes 1 positional argument but %d were given", n);
  lua_pushinteger(L, check_tensor(L, 1, "numel", "input", 1)->numel);
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

/* Whether the one element is not zero. */
static int tensor_is_nonzero(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "is_nonzero", "input", 1);
  tocha_scalar s;
  if (t->numel != 1)
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         t->numel ? "Boolean value of Tensor with more than one value is ambiguous"
                                  : "Boolean value of Tensor with no values is ambiguous");
  if (!tocha_item(CX(L), t, &s)) return raise_error(L);
  lua_pushboolean(L, tocha_scalar_real(s) != 0);
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

/* --- conversions: t:float(), t:cpu(), t:type(dtype) ----------------------------------------------- */

/* Calls t:to(...) with what is above the tensor on the stack. */
static int call_to(lua_State *L) {
  int n = lua_gettop(L) - 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_getfield(L, -1, "to");
  lua_insert(L, 1);
  lua_pop(L, 1);
  lua_call(L, n + 1, 1);
  return 1;
}

/* Upvalues: the methods; the dtype's number. */
static int tensor_as_dtype(lua_State *L) {
  self_of(L, tocha_dtype_name((tocha_dtype)lua_tointeger(L, lua_upvalueindex(2))));
  lua_settop(L, 1);
  push_dtype(L, (tocha_dtype)lua_tointeger(L, lua_upvalueindex(2)));
  return call_to(L);
}

static int tensor_cpu(lua_State *L) {
  self_of(L, "cpu");
  lua_settop(L, 1);
  push_device(L, tocha_cpu());
  return call_to(L);
}

static int tensor_cuda(lua_State *L) {
  self_of(L, "cuda");
  tocha_device device = {TOCHA_CUDA, -1};
  if (lua_isinteger(L, 2)) device.index = (int16_t)lua_tointeger(L, 2);
  if (!lua_isnoneornil(L, 2) && !lua_isinteger(L, 2) && lua_type(L, 2) != LUA_TTABLE)
    to_device(L, 2, &device);
  lua_settop(L, 1);
  push_device(L, device);
  return call_to(L);
}

/* t:type() is "torch.FloatTensor"; t:type(dtype), t:type("torch.LongTensor") convert. */
static int tensor_type(lua_State *L) {
  tocha_tensor *t = self_of(L, "type");
  if (lua_type(L, 2) == LUA_TTABLE) lua_getfield(L, 2, "dtype"), lua_replace(L, 2);
  if (lua_isnoneornil(L, 2)) {
    lua_pushfstring(L, "torch.%sTensor", tocha_dtype_scalar_type(t->dtype));
    return 1;
  }
  tocha_dtype dtype = TOCHA_NO_DTYPE;
  if (lua_type(L, 2) == LUA_TSTRING) {
    for (int d = 0; d < TOCHA_DTYPE_COUNT && dtype == TOCHA_NO_DTYPE; d++) {
      lua_pushfstring(L, "torch.%sTensor", tocha_dtype_scalar_type(d));
      if (lua_rawequal(L, -1, 2)) dtype = d;
      lua_pop(L, 1);
    }
    if (dtype == TOCHA_NO_DTYPE)
      return raise_message(L, TOCHA_VALUE_ERROR, "invalid type: '%s'", lua_tostring(L, 2));
  } else if (!to_dtype(L, 2, &dtype)) {
    return raise_message(L, TOCHA_TYPE_ERROR, "dtype must be a type, str, or dtype object");
  }
  lua_settop(L, 1);
  push_dtype(L, dtype);
  return call_to(L);
}

static void open_conversions(lua_State *L, int methods) {
  static const luaL_Reg others[] = {
      {"cpu", tensor_cpu}, {"cuda", tensor_cuda}, {"type", tensor_type}, {NULL, NULL}};
  for (int d = 0; d < TOCHA_DTYPE_COUNT; d++) {
    lua_pushvalue(L, methods);
    lua_pushinteger(L, d);
    lua_pushcclosure(L, tensor_as_dtype, 2);
    lua_setfield(L, methods, tocha_dtype_alias(d));
  }
  lua_pushvalue(L, methods);
  lua_pushvalue(L, methods);
  luaL_setfuncs(L, others, 1);
  lua_pop(L, 1);
  lua_getfield(L, methods, "repeat"); /* a Lua keyword: also t:rep(2, 3), as in string.rep */
  lua_setfield(L, methods, "rep");
}

static int tensor_share_memory_(lua_State *L) {
  lua_settop(L, 1);
  return 1;
}

void open_methods(lua_State *L, int torch, int methods) {
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
                                       {"is_nonzero", tensor_is_nonzero},
                                       {"is_same_size", tensor_is_same_size},
                                       {"is_set_to", tensor_is_set_to},
                                       {"share_memory_", tensor_share_memory_},
                                       {NULL, NULL}};
  static const luaL_Reg functions[] = {{"numel", numel_of},
                                       {"is_floating_point", tensor_is_floating_point},
                                       {"is_complex", tensor_is_complex},
                                       {"is_inference", tensor_is_inference},
                                       {"is_nonzero", tensor_is_nonzero},
                                       {NULL, NULL}};
  lua_pushvalue(L, methods);
  luaL_setfuncs(L, questions, 0);
  lua_pop(L, 1);
  open_conversions(L, methods);
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
