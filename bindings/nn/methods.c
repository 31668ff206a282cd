/* methods.c: the methods of all modules: iteration, modes, moving, state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "function_table.h"
#include "nn/module.h"

/* --- iterators ------------------------------------------------------------------------------- */

/* Returns the next values of an iterator. Upvalues: the table of values, the next position in
 * it, the number of values a turn. */
static int next_of_iterator(lua_State *L) {
  lua_Integer at = lua_tointeger(L, lua_upvalueindex(2));
  int width = (int)lua_tointeger(L, lua_upvalueindex(3));
  lua_settop(L, 0);
  for (int i = 0; i < width; i++) lua_rawgeti(L, lua_upvalueindex(1), at + i);
  lua_pushinteger(L, at + width);
  lua_replace(L, lua_upvalueindex(2));
  return width;
}

void push_iterator(lua_State *L, int index, int width) {
  lua_pushvalue(L, index);
  lua_pushinteger(L, 1);
  lua_pushinteger(L, width);
  lua_pushcclosure(L, next_of_iterator, 3);
}

void push_entries(lua_State *L, void *object, int count, entry_pusher *push_key,
                  entry_pusher *push_value) {
  int width = (push_key != NULL) + (push_value != NULL), table;
  lua_createtable(L, count * width, 0);
  table = lua_gettop(L);
  for (int i = 0, at = 0; i < count; i++) {
    if (push_key) {
      push_key(L, object, i);
      lua_rawseti(L, table, ++at);
    }
    if (push_value) {
      push_value(L, object, i);
      lua_rawseti(L, table, ++at);
    }
  }
  push_iterator(L, table, width);
}

/* Frees a list of the runtime. The list is in a userdata, so that it is freed even after an
 * error. */
static int free_list(lua_State *L) {
  tocha_named_list_free(luaL_checkudata(L, 1, "tocha.named_list"));
  return 0;
}

tocha_named_list *push_list(lua_State *L) {
  tocha_named_list *list = lua_newuserdatauv(L, sizeof *list, 0);
  memset(list, 0, sizeof *list);
  static const luaL_Reg events[] = {{"__gc", free_list}, {NULL, NULL}};
  new_metatable(L, "tocha.named_list", events);
  lua_setmetatable(L, -2);
  return list;
}

static int list_iterator(lua_State *L, tocha_named_list *list, bool named) {
  int width = named ? 2 : 1;
  lua_createtable(L, list->count * width, 0);
  for (int i = 0; i < list->count; i++) {
    const tocha_named *n = &list->items[i];
    if (named) {
      lua_pushstring(L, n->name);
      lua_rawseti(L, -2, 2 * i + 1);
    }
    if (n->module)
      push_module(L, n->module);
    else
      tocha_lua_push_tensor(L, n->tensor);
    lua_rawseti(L, -2, (lua_Integer)width * (i + 1));
  }
  push_iterator(L, lua_gettop(L), width);
  return 1;
}

typedef bool walker(tocha_context *, tocha_module *, const char *prefix, bool recurse,
                    bool remove_duplicate, tocha_named_list *);

static int walk_tensors(lua_State *L, walker *walk, const tocha_arg *recurse) {
  tocha_module *m = check_module(L, 1);
  tocha_named_list *list = push_list(L);
  if (!walk(CX(L), m, "", recurse->value.flag, true, list)) return raise_error(L);
  return list_iterator(L, list, false);
}

/* (self, prefix, recurse, remove_duplicate) Returns an iterator over names and tensors. */
static int walk_named_tensors(lua_State *L, walker *walk, const tocha_arg *args) {
  tocha_module *m = check_module(L, 1);
  tocha_named_list *list = push_list(L);
  if (!walk(CX(L), m, args[1].value.string, args[2].value.flag, args[3].value.flag, list))
    return raise_error(L);
  return list_iterator(L, list, true);
}

int torch_module_parameters(lua_State *L, const tocha_arg *args) {
  return walk_tensors(L, tocha_named_parameters, &args[1]);
}
int torch_module_named_parameters(lua_State *L, const tocha_arg *args) {
  return walk_named_tensors(L, tocha_named_parameters, args);
}
int torch_module_buffers(lua_State *L, const tocha_arg *args) {
  return walk_tensors(L, tocha_named_buffers, &args[1]);
}
int torch_module_named_buffers(lua_State *L, const tocha_arg *args) {
  return walk_named_tensors(L, tocha_named_buffers, args);
}

static int walk_children(lua_State *L, bool named) {
  tocha_named_list *list = push_list(L);
  if (!tocha_named_children(CX(L), check_module(L, 1), list)) return raise_error(L);
  return list_iterator(L, list, named);
}
int torch_module_children(lua_State *L, const tocha_arg *args) {
  (void)args;
  return walk_children(L, false);
}
int torch_module_named_children(lua_State *L, const tocha_arg *args) {
  (void)args;
  return walk_children(L, true);
}

static int walk_modules(lua_State *L, bool named, const char *prefix, bool remove_duplicate) {
  tocha_module *m = check_module(L, 1);
  tocha_named_list *list = push_list(L);
  if (!tocha_named_modules(CX(L), m, prefix, remove_duplicate, list)) return raise_error(L);
  return list_iterator(L, list, named);
}
int torch_module_modules(lua_State *L, const tocha_arg *args) {
  (void)args;
  return walk_modules(L, false, "", true);
}
int torch_module_named_modules(lua_State *L, const tocha_arg *args) {
  return walk_modules(L, true, args[1].value.string, args[2].value.flag);
}

/* --- modes ----------------------------------------------------------------------------------- */

int torch_module_train(lua_State *L, const tocha_arg *args) {
  tocha_module *m = check_module(L, 1);
  int mode = any_index(&args[1]);
  if (mode && lua_type(L, mode) != LUA_TBOOLEAN)
    return raise_message(L, TOCHA_VALUE_ERROR, "training mode is expected to be boolean");
  if (!tocha_module_train(m, !mode || lua_toboolean(L, mode))) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

int torch_module_eval(lua_State *L, const tocha_arg *args) {
  (void)args;
  if (!tocha_module_train(check_module(L, 1), false)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

int torch_module_requires_grad_(lua_State *L, const tocha_arg *args) {
  if (!tocha_module_requires_grad(CX(L), check_module(L, 1), args[1].value.flag))
    return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

int torch_module_zero_grad(lua_State *L, const tocha_arg *args) {
  return tocha_module_zero_grad(CX(L), check_module(L, 1), args[1].value.flag) ? 0 : raise_error(L);
}

/* --- moving ---------------------------------------------------------------------------------- */

static int move(lua_State *L, tocha_device device, tocha_dtype dtype) {
  if (!tocha_module_to(CX(L), check_module(L, 1), device, dtype)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

static int lay_out(lua_State *L, const char *format) {
  if (strcmp(format, "torch.channels_last_3d") == 0)
    return tocha_module_to_channels_last_3d(CX(L), check_module(L, 1)) ? 1 : raise_error(L);
  bool channels_last = strcmp(format, "torch.channels_last") == 0;
  if (!channels_last && strcmp(format, "torch.contiguous_format") != 0) return 1; /* no change */
  return tocha_module_to_format(CX(L), check_module(L, 1), channels_last) ? 1 : raise_error(L);
}

static const tocha_device nowhere = {TOCHA_NO_DEVICE, -1};

/* Moves a module: to(device), to(dtype), to(device, dtype), to(tensor), and the same by keyword. */
int torch_module_to(lua_State *L, const tocha_arg *args) {
  const tocha_arg *values = &args[1];
  tocha_device device = args[2].given ? args[2].value.device : nowhere;
  tocha_dtype dtype = args[3].given ? args[3].value.dtype : TOCHA_NO_DTYPE;
  for (int k = 0; k < values->count; k++) {
    int i = any_index(values) + k;
    const tocha_tensor *t = to_tensor(L, i);
    if (t) {
      device = tocha_device_of(t);
      dtype = tocha_dtype_of(t);
    } else if (!tocha_lua_to_dtype(L, i, &dtype) && lua_type(L, i) != LUA_TBOOLEAN &&
               !lua_isnil(L, i) && !tocha_lua_to_device(L, i, &device)) {
      return raise_message(L, TOCHA_TYPE_ERROR,
                           "to() received an invalid combination of arguments - got (%s)",
                           python_type(L, i));
    }
  }
  move(L, device, dtype);
  return args[5].given ? lay_out(L, args[5].value.string) : 1;
}

int torch_module_cpu(lua_State *L, const tocha_arg *args) {
  (void)args;
  return move(L, tocha_cpu(), TOCHA_NO_DTYPE);
}
int torch_module_cuda(lua_State *L, const tocha_arg *args) {
  tocha_device device = {TOCHA_CUDA, 0};
  int index = any_index(&args[1]);
  if (index && !lua_isinteger(L, index) && !tocha_lua_to_device(L, index, &device))
    luaL_checkinteger(L, index);
  if (index && lua_isinteger(L, index)) device.index = (int16_t)lua_tointeger(L, index);
  return move(L, device, TOCHA_NO_DTYPE);
}
int torch_module_float(lua_State *L, const tocha_arg *args) {
  (void)args;
  return move(L, nowhere, TOCHA_FLOAT32);
}
int torch_module_double(lua_State *L, const tocha_arg *args) {
  (void)args;
  return move(L, nowhere, TOCHA_FLOAT64);
}
int torch_module_half(lua_State *L, const tocha_arg *args) {
  (void)args;
  return move(L, nowhere, TOCHA_FLOAT16);
}
int torch_module_bfloat16(lua_State *L, const tocha_arg *args) {
  (void)args;
  return move(L, nowhere, TOCHA_BFLOAT16);
}

/* --- registering ----------------------------------------------------------------------------- */

static const char *check_name(lua_State *L, int index, const char *kind) {
  if (lua_type(L, index) != LUA_TSTRING)
    raise_message(L, TOCHA_TYPE_ERROR, "%s name should be a string. Got %s", kind,
                  torch_typename(L, index));
  return lua_tostring(L, index);
}

/* Raises if the name is taken by a plain field or a method of the module at index 1. [-0, +0, e] */
static void check_free(lua_State *L, const tocha_module *m, const char *name) {
  if (tocha_module_member(m, name, NULL, NULL) != TOCHA_NO_MEMBER || strchr(name, '.') || !name[0])
    return;
  lua_getiuservalue(L, 1, MODULE_FIELDS);
  lua_pushstring(L, name);
  bool taken = lua_rawget(L, -2) != LUA_TNIL || strcmp(name, "training") == 0;
  lua_getiuservalue(L, 1, MODULE_CLASS);
  taken = taken || lua_getfield(L, -1, name) != LUA_TNIL;
  if (taken) raise_message(L, TOCHA_KEY_ERROR, "attribute '%s' already exists", name);
  lua_pop(L, 4);
}

/* Returns the stack index of a new member. Pushes nil for an omitted one. [-0, +(0|1), -] */
static int member_index(lua_State *L, const tocha_arg *arg) {
  if (any_index(arg)) return any_index(arg);
  lua_pushnil(L);
  return lua_gettop(L);
}

int torch_module_register_buffer(lua_State *L, const tocha_arg *args) {
  tocha_module *m = check_module(L, 1);
  const char *name = check_name(L, any_index(&args[1]), "buffer");
  int value = member_index(L, &args[2]), persistent = any_index(&args[3]);
  check_free(L, m, name);
  if (!lua_isnil(L, value) && !to_tensor(L, value) && name[0] && !strchr(name, '.'))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "cannot assign '%s' object to buffer '%s' (torch Tensor or None required)",
                         torch_typename(L, value), name);
  if (!tocha_register_buffer(CX(L), m, name, to_tensor(L, value),
                             !persistent || lua_toboolean(L, persistent)))
    return raise_error(L);
  if (to_tensor(L, value)) share_tensor(L, value);
  set_part(L, 1, name, lua_isnil(L, value) ? 0 : value);
  return 0;
}

int torch_module_register_parameter(lua_State *L, const tocha_arg *args) {
  tocha_module *m = check_module(L, 1);
  const char *name = check_name(L, any_index(&args[1]), "parameter");
  int value = member_index(L, &args[2]);
  check_free(L, m, name);
  if (!lua_isnil(L, value) && !to_tensor(L, value))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "cannot assign '%s' object to parameter '%s' (torch.nn.Parameter or None "
                         "required)",
                         torch_typename(L, value), name);
  if (!tocha_register_parameter(CX(L), m, name, to_tensor(L, value))) return raise_error(L);
  if (to_tensor(L, value)) share_tensor(L, value);
  set_part(L, 1, name, lua_isnil(L, value) ? 0 : value);
  return 0;
}

int torch_module_add_module(lua_State *L, const tocha_arg *args) {
  tocha_module *m = check_module(L, 1), *child = NULL;
  int value = member_index(L, &args[2]);
  if (!lua_isnil(L, value)) child = check_module(L, value);
  const char *name = check_name(L, any_index(&args[1]), "module");
  check_free(L, m, name);
  if (!tocha_register_module(CX(L), m, name, child)) return raise_error(L);
  set_part(L, 1, name, child ? value : 0);
  return 0;
}

/* --- getting --------------------------------------------------------------------------------- */

int torch_module_get_submodule(lua_State *L, const tocha_arg *args) {
  tocha_module *m = tocha_get_submodule(CX(L), check_module(L, 1), args[1].value.string);
  if (!m) return raise_error(L);
  push_module(L, m);
  return 1;
}

/* Pushes a function of lua/parts/nn/module/surgery.lua, and the module at index 1. [-0, +3, e] */
static void push_surgery(lua_State *L, const char *name) {
  check_module(L, 1);
  if (!push_part(L, "nn.module.surgery")) luaL_error(L, "torch: no part named 'nn.module.surgery'");
  lua_getfield(L, -1, name);
  lua_pushvalue(L, 1);
}

int torch_module_set_submodule(lua_State *L, const tocha_arg *args) {
  push_surgery(L, "set_submodule");
  lua_pushstring(L, args[1].value.string);
  lua_pushvalue(L, any_index(&args[2]));
  lua_pushboolean(L, args[3].value.flag);
  lua_call(L, 4, 0);
  return 0;
}

int torch_module_to_empty(lua_State *L, const tocha_arg *args) {
  push_surgery(L, "to_empty");
  tocha_lua_push_device(L, args[1].value.device);
  lua_pushboolean(L, args[2].value.flag);
  lua_call(L, 3, 1);
  return 1;
}

int torch_module_get_parameter(lua_State *L, const tocha_arg *args) {
  tocha_tensor *t = tocha_get_parameter(CX(L), check_module(L, 1), args[1].value.string);
  if (!t) return raise_error(L);
  tocha_lua_push_tensor(L, t);
  return 1;
}

int torch_module_get_buffer(lua_State *L, const tocha_arg *args) {
  tocha_tensor *t = tocha_get_buffer(CX(L), check_module(L, 1), args[1].value.string);
  if (!t && tocha_failed(CX(L))) return raise_error(L);
  tocha_lua_push_tensor(L, t);
  return 1;
}

/* --- everything ------------------------------------------------------------------------------ */

static int first_result(lua_State *L, int status, lua_KContext context) {
  (void)L;
  (void)status;
  (void)context;
  return 1;
}

int torch_module_apply(lua_State *L, const tocha_arg *args) {
  push_surgery(L, "apply");
  lua_pushvalue(L, any_index(&args[1]));
  lua_callk(L, 2, 1, 0, first_result);
  return 1;
}

int torch_module_reset_parameters(lua_State *L, const tocha_arg *args) {
  (void)args;
  return tocha_module_reset_parameters(CX(L), check_module(L, 1)) ? 0 : raise_error(L);
}
