/* values.c: torch's objects between C and Lua, for hosts (<tocha/lua.h>). */
#include <string.h>

#include "nn/module.h"
#include "optim/optim.h"
#include "tocha/lua.h"

/* Raises PyTorch's error for an argument of the wrong type. */
TOCHA_NORETURN static void refuse(lua_State *L, int index, const char *function, const char *name,
                                  const char *type) {
  raise_hinted(L, TOCHA_TYPE_ERROR, strcmp(type, "Tensor") == 0 ? tensor_hint(L, index) : NULL,
               "%s(): argument '%s' (position %d) must be %s, not %s", function, name,
               lua_absindex(L, index), type, python_type(L, index));
}

tocha_tensor *tocha_lua_to_tensor(lua_State *L, int index) {
  tocha_tensor *t = to_tensor(L, index);
  if (t) share_tensor(L, index);
  return t;
}

tocha_tensor *tocha_lua_check_tensor(lua_State *L, int index, const char *function,
                                     const char *name) {
  tocha_tensor *t = tocha_lua_to_tensor(L, index);
  if (!t) refuse(L, index, function, name, "Tensor");
  return t;
}

void tocha_lua_push_module(lua_State *L, tocha_module *m) {
  push_module(L, m);
  give_module(L, -1);
}
tocha_module *tocha_lua_to_module(lua_State *L, int index) {
  give_module(L, index);
  return to_module(L, index);
}

tocha_module *tocha_lua_check_module(lua_State *L, int index, const char *function,
                                     const char *name) {
  tocha_module *m = tocha_lua_to_module(L, index);
  if (!m) refuse(L, index, function, name, "Module");
  return m;
}

tocha_dtype tocha_lua_check_dtype(lua_State *L, int index, const char *function, const char *name) {
  tocha_dtype dtype;
  if (!tocha_lua_to_dtype(L, index, &dtype)) refuse(L, index, function, name, "torch.dtype");
  return dtype;
}

tocha_device tocha_lua_check_device(lua_State *L, int index, const char *function,
                                    const char *name) {
  tocha_device device;
  if (!tocha_lua_to_device(L, index, &device)) refuse(L, index, function, name, "torch.device");
  return device;
}

tocha_generator *tocha_lua_to_generator(lua_State *L, int index) {
  tocha_generator *g = to_generator(L, index);
  if (g) remember_object(L, index, g);
  return g;
}

tocha_generator *tocha_lua_check_generator(lua_State *L, int index, const char *function,
                                           const char *name) {
  tocha_generator *g = tocha_lua_to_generator(L, index);
  if (!g) refuse(L, index, function, name, "torch.Generator");
  return g;
}

const int64_t *tocha_lua_check_size(lua_State *L, int index, int *ndim, const char *function,
                                    const char *name) {
  const int64_t *sizes = tocha_lua_to_size(L, index, ndim);
  if (*ndim < 0) refuse(L, index, function, name, "torch.Size");
  return sizes;
}

tocha_state_dict *tocha_lua_to_state_dict(lua_State *L, int index) {
  tocha_state_dict *dict = to_state_dict(L, index);
  if (dict) remember_object(L, index, dict);
  return dict;
}

tocha_state_dict *tocha_lua_check_state_dict(lua_State *L, int index, const char *function,
                                             const char *name) {
  tocha_state_dict *dict = tocha_lua_to_state_dict(L, index);
  if (!dict) refuse(L, index, function, name, "OrderedDict");
  return dict;
}

tocha_optimizer *tocha_lua_to_optimizer(lua_State *L, int index) {
  tocha_optimizer *o = to_optimizer(L, index);
  if (o) remember_object(L, index, o);
  return o;
}

tocha_optimizer *tocha_lua_check_optimizer(lua_State *L, int index, const char *function,
                                           const char *name) {
  tocha_optimizer *o = tocha_lua_to_optimizer(L, index);
  if (!o) refuse(L, index, function, name, "Optimizer");
  return o;
}
