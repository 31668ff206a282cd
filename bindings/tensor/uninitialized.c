/* uninitialized.c: the parameters and buffers of lazy modules before their first batch, and the
 * call that makes them ordinary tensors.
 *
 * They have a metatable of their own, so that ordinary tensors need no check. Operators refuse
 * them by their flag (dispatch/call.c). Their metatable refuses the methods that are not
 * operators. */
#include <stdio.h>
#include <string.h>

#include "function_table.h"

static const char type_name[] = "torch.nn.parameter.Uninitialized";

void refuse_uninitialized(lua_State *L, const tocha_tensor *t, const char *user) {
  if (!tocha_is_uninitialized(t)) return;
  tocha_refuse_without_data(CX(L), t, user);
  raise_error(L);
}

/* --- reading and assigning ------------------------------------------------------------------------ */

/* Refuses a method while the tensor is uninitialized. Upvalue: the method's name. */
static int refuse_method(lua_State *L) {
  char user[128];
  const char *name = lua_tostring(L, lua_upvalueindex(1));
  tocha_tensor *t = check_tensor(L, 1, name, "self", 0);
  if (tocha_is_uninitialized(t) && strcmp(name, "share_memory_") == 0)
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "Can't share memory on an uninitialized parameter or buffer. Call "
                         "`forward` to initialize the parameters before calling "
                         "`module.share_memory()`.");
  snprintf(user, sizeof user, "<method '%s' of 'torch._C.TensorBase' objects>", name);
  refuse_uninitialized(L, t, user);
  lua_getfield(L, 1, name); /* the tensor was filled after the method was read */
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* Calls the handler that ordinary tensors have for the event, upvalue 2, with all values on the
 * stack. */
static int call_handler(lua_State *L) {
  int n = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, n, LUA_MULTRET);
  return lua_gettop(L);
}

/* Pushes the value that the table of methods, upvalue 1, has under the key at index 2, and
 * returns its type. Pushes nil if there is none, or the key is not a string. [-0, +1, -] */
static int push_method(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    return lua_rawget(L, lua_upvalueindex(1));
  }
  lua_pushnil(L);
  return LUA_TNIL;
}

/* Returns true if a method takes tensors without values, as its entry in the lists says. */
static bool is_allowed(lua_State *L, const char *method) {
  const tocha_op *op;
  for (int i = 0; (op = tocha_op_at(i)); i++)
    if (op->flags & TOCHA_OP_UNINITIALIZED && op->forms & TOCHA_FORM_METHOD &&
        strcmp(op->lua_name, method) == 0)
      return true;
  for (const function_entry *f = binding_of(L)->hooks->functions; f->space; f++)
    if (f->uninitialized && strcmp(f->name, method) == 0) return true;
  return false;
}

static bool is_identifier(const char *key) {
  return strspn(key, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") > 0;
}

static int index_uninitialized(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "__getattr__", "self", 0);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  if (key && strcmp(key, "shape") == 0) {
    tocha_refuse_uninitialized_shape(CX(L));
    return raise_error(L);
  }
  if (key && strcmp(key, "materialize") == 0 && push_part(L, "nn.lazy")) {
    lua_getfield(L, -1, "materialize");
    return 1;
  }
  int type = push_method(L);
  if (type == LUA_TFUNCTION && key && !is_allowed(L, key)) {
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, refuse_method, 1);
    return 1;
  }
  lua_settop(L, 2);
  if (type == LUA_TNIL && !(key && is_identifier(key)))
    refuse_uninitialized(L, t, "<slot wrapper '__getitem__' of 'torch._C.TensorBase' objects>");
  return call_handler(L);
}

static int newindex_uninitialized(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "__setattr__", "self", 0);
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  bool is_known = push_method(L) != LUA_TNIL;
  lua_settop(L, 3);
  if (!is_known && !(key && is_identifier(key)))
    refuse_uninitialized(L, t, "<slot wrapper '__setitem__' of 'torch._C.TensorBase' objects>");
  return call_handler(L);
}

static int length_of_uninitialized(lua_State *L) {
  refuse_uninitialized(L, check_tensor(L, 1, "len", "self", 0), "<function Tensor.__len__>");
  return 0;
}

static int rows_of_uninitialized(lua_State *L) {
  refuse_uninitialized(L, check_tensor(L, 1, "pairs", "self", 0),
                       "<method 'dim' of 'torch._C.TensorBase' objects>");
  return 0;
}

/* --- making and filling --------------------------------------------------------------------------- */

/* torch._materialize(tensor, data) gives an uninitialized tensor the sizes and the memory of
 * data. */
static int materialize(lua_State *L) {
  binding *b = binding_of(L);
  tocha_tensor *t = check_tensor(L, 1, "materialize", "self", 0);
  tocha_tensor *data = check_tensor(L, 2, "materialize", "data", 1);
  if (!tocha_materialize(b->cx, t, data)) return raise_error(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, b->tensor_metatable);
  lua_setmetatable(L, 1);
  return 0;
}

/* Sets an event of the metatable at the top to a closure over the table of methods and the
 * handler that tensors have. [-0, +0, m] */
static void set_event(lua_State *L, int tensors, const char *event, lua_CFunction function) {
  lua_getfield(L, tensors, "__index");
  lua_getupvalue(L, -1, 1);
  lua_getfield(L, tensors, event);
  lua_pushcclosure(L, function, 2);
  lua_setfield(L, -3, event);
  lua_pop(L, 1);
}

/* Fills the new metatable at the top: that of tensors, except for four events. [-0, +0, m] */
static void fill_metatable(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, binding_of(L)->tensor_metatable);
  lua_insert(L, -2);
  int own = lua_gettop(L), tensors = own - 1;
  for (lua_pushnil(L); lua_next(L, tensors);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, own);
  }
  set_event(L, tensors, "__index", index_uninitialized);
  set_event(L, tensors, "__newindex", newindex_uninitialized);
  set_event(L, tensors, "__len", length_of_uninitialized);
  set_event(L, tensors, "__pairs", rows_of_uninitialized);
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_pushcfunction(L, materialize);
  lua_setfield(L, -2, "_materialize");
  lua_pop(L, 1);
  lua_remove(L, tensors);
}

void mark_uninitialized(lua_State *L) {
  if (luaL_getmetatable(L, type_name) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    fill_metatable(L);
    register_metatable(L, type_name);
  }
  lua_setmetatable(L, -2);
}

static int make_uninitialized(lua_State *L, bool parameter, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_device device = args[1].given ? args[1].value.device : tocha_default_device(cx);
  tocha_dtype dtype = args[2].given ? args[2].value.dtype : tocha_default_dtype(cx);
  tocha_tensor *t = tocha_uninitialized_new(cx, parameter, args[0].value.flag, dtype, device);
  if (t) tocha_lua_push_tensor(L, t);
  tocha_scope_end(cx, scope, NULL);
  return t ? 1 : raise_error(L);
}

int torch_nn_parameter_uninitialized_parameter(lua_State *L, const tocha_arg *args) {
  return make_uninitialized(L, true, args);
}

int torch_nn_parameter_uninitialized_buffer(lua_State *L, const tocha_arg *args) {
  return make_uninitialized(L, false, args);
}

int torch_nn_parameter_is_lazy(lua_State *L, const tocha_arg *args) {
  lua_pushboolean(L, tocha_is_uninitialized(to_tensor(L, any_index(&args[0]))));
  return 1;
}
