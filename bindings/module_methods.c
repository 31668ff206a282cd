/* module_methods.c: the methods of every module: walking, modes, moving, state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

/* --- iterators ------------------------------------------------------------------------------- */

/* Upvalues: the table of values, the next place in it, values a turn. */
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

/* A list of the runtime as an iterator over names and values, or values alone. The list lives in a
 * userdata so that it is freed whatever happens. */
static int free_list(lua_State *L) {
  tocha_named_list_free(luaL_checkudata(L, 1, "tocha.named_list"));
  return 0;
}

static tocha_named_list *push_list(lua_State *L) {
  tocha_named_list *list = lua_newuserdatauv(L, sizeof *list, 0);
  memset(list, 0, sizeof *list);
  if (luaL_newmetatable(L, "tocha.named_list")) {
    lua_pushcfunction(L, free_list);
    lua_setfield(L, -2, "__gc");
  }
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
      push_shared_tensor(L, n->tensor);
    lua_rawseti(L, -2, (lua_Integer)width * (i + 1));
  }
  push_iterator(L, lua_gettop(L), width);
  return 1;
}

#define BOOL(name, default_value)                                                                  \
  {                                                                                                \
    name, TOCHA_KIND_BOOL, false, true, false, false,                                              \
        {.value.flag = default_value, .given = true}, "bool"                                       \
  }
#define STRING(name, default_value)                                                                \
  {                                                                                                \
    name, TOCHA_KIND_STRING, false, true, false, false,                                            \
        {.value.string = default_value, .given = true}, "str"                                      \
  }

static const tocha_parameter walk_parameters[] = {STRING("prefix", ""), BOOL("recurse", true),
                                                  BOOL("remove_duplicate", true)};

static int walk_tensors(lua_State *L, const char *function, bool named, bool buffers) {
  tocha_module *m = check_module(L, 1);
  tocha_context *cx = CX(L);
  tocha_arg args[3] = {walk_parameters[0].default_value, walk_parameters[1].default_value,
                       walk_parameters[2].default_value};
  if (named)
    read_python_arguments(L, function, walk_parameters, 3, 3, 2, args);
  else
    read_python_arguments(L, function, walk_parameters + 1, 1, 1, 2, args + 1);
  tocha_named_list *list = push_list(L);
  bool (*walk)(tocha_context *, tocha_module *, const char *, bool, bool, tocha_named_list *) =
      buffers ? tocha_named_buffers : tocha_named_parameters;
  if (!walk(cx, m, args[0].value.string, args[1].value.flag, args[2].value.flag, list))
    return raise_error(L);
  return list_iterator(L, list, named);
}

static int parameters(lua_State *L) { return walk_tensors(L, "Module.parameters", false, false); }
static int named_parameters(lua_State *L) {
  return walk_tensors(L, "Module.named_parameters", true, false);
}
static int buffers(lua_State *L) { return walk_tensors(L, "Module.buffers", false, true); }
static int named_buffers(lua_State *L) {
  return walk_tensors(L, "Module.named_buffers", true, true);
}

static int walk_children(lua_State *L, bool named) {
  tocha_named_list *list = push_list(L);
  if (!tocha_named_children(CX(L), check_module(L, 1), list)) return raise_error(L);
  return list_iterator(L, list, named);
}
static int children(lua_State *L) { return walk_children(L, false); }
static int named_children(lua_State *L) { return walk_children(L, true); }

static int walk_modules(lua_State *L, bool named) {
  static const tocha_parameter parameters_[] = {STRING("prefix", ""),
                                                BOOL("remove_duplicate", true)};
  tocha_module *m = check_module(L, 1);
  tocha_arg args[2] = {parameters_[0].default_value, parameters_[1].default_value};
  if (named) read_python_arguments(L, "Module.named_modules", parameters_, 2, 2, 2, args);
  tocha_named_list *list = push_list(L);
  if (!tocha_named_modules(CX(L), m, args[0].value.string, args[1].value.flag, list))
    return raise_error(L);
  return list_iterator(L, list, named);
}
static int modules(lua_State *L) { return walk_modules(L, false); }
static int named_modules(lua_State *L) { return walk_modules(L, true); }

/* --- modes ----------------------------------------------------------------------------------- */

static int train(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  if (lua_gettop(L) > 1 && lua_type(L, 2) != LUA_TBOOLEAN)
    return raise_message(L, TOCHA_VALUE_ERROR, "training mode is expected to be boolean");
  tocha_module_train(m, lua_gettop(L) < 2 || lua_toboolean(L, 2));
  lua_settop(L, 1);
  return 1;
}

static int eval(lua_State *L) {
  tocha_module_train(check_module(L, 1), false);
  lua_settop(L, 1);
  return 1;
}

static int requires_grad_(lua_State *L) {
  static const tocha_parameter p = BOOL("requires_grad", true);
  tocha_module *m = check_module(L, 1);
  tocha_arg arg;
  read_python_arguments(L, "Module.requires_grad_", &p, 1, 1, 2, &arg);
  if (!tocha_module_requires_grad(CX(L), m, arg.value.flag)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

static int zero_grad(lua_State *L) {
  static const tocha_parameter p = BOOL("set_to_none", true);
  tocha_module *m = check_module(L, 1);
  tocha_arg arg;
  read_python_arguments(L, "Module.zero_grad", &p, 1, 1, 2, &arg);
  if (!tocha_module_zero_grad(CX(L), m, arg.value.flag)) return raise_error(L);
  return 0;
}

/* --- moving ---------------------------------------------------------------------------------- */

static int move(lua_State *L, tocha_device device, tocha_dtype dtype) {
  if (!tocha_module_to(CX(L), check_module(L, 1), device, dtype)) return raise_error(L);
  lua_settop(L, 1);
  return 1;
}

static const tocha_device nowhere = {TOCHA_NO_DEVICE, -1};

/* to(device), to(dtype), to(device, dtype), to(tensor), and the same by keyword. */
static int to(lua_State *L) {
  check_module(L, 1);
  int kw, n = split_arguments(L, 2, &kw);
  tocha_device device = nowhere;
  tocha_dtype dtype = TOCHA_NO_DTYPE;
  if (kw) {
    if (lua_getfield(L, kw, "device") != LUA_TNIL) to_device(L, -1, &device);
    if (lua_getfield(L, kw, "dtype") != LUA_TNIL) to_dtype(L, -1, &dtype);
  }
  for (int i = 2; i < n + 2; i++) {
    const tocha_tensor *t = to_tensor(L, i);
    if (t) {
      device = t->device;
      dtype = (tocha_dtype)t->dtype;
    } else if (!to_dtype(L, i, &dtype) && lua_type(L, i) != LUA_TBOOLEAN && !lua_isnil(L, i) &&
               !to_device(L, i, &device)) {
      return raise_message(L, TOCHA_TYPE_ERROR,
                           "to() received an invalid combination of arguments - got (%s)",
                           python_type(L, i));
    }
  }
  return move(L, device, dtype);
}

static int cpu(lua_State *L) { return move(L, tocha_cpu(), TOCHA_NO_DTYPE); }
static int cuda(lua_State *L) {
  tocha_device device = {TOCHA_CUDA, (int16_t)luaL_optinteger(L, 2, 0)};
  return move(L, device, TOCHA_NO_DTYPE);
}
static int to_float(lua_State *L) { return move(L, nowhere, TOCHA_FLOAT32); }
static int to_double(lua_State *L) { return move(L, nowhere, TOCHA_FLOAT64); }
static int to_half(lua_State *L) { return move(L, nowhere, TOCHA_FLOAT16); }
static int to_bfloat16(lua_State *L) { return move(L, nowhere, TOCHA_BFLOAT16); }

/* --- registering ----------------------------------------------------------------------------- */

static const char *check_name(lua_State *L, const char *kind) {
  if (lua_type(L, 2) != LUA_TSTRING)
    raise_message(L, TOCHA_TYPE_ERROR, "%s name should be a string. Got %s", kind,
                  torch_typename(L, 2));
  return lua_tostring(L, 2);
}

/* A plain field or method of that name is in the way as well. */
static void check_free(lua_State *L, const tocha_module *m, const char *name) {
  if (tocha_module_member(m, name, NULL, NULL) != TOCHA_NO_MEMBER || strchr(name, '.') || !name[0])
    return;
  lua_getfield(L, 1, name);
  if (!lua_isnil(L, -1)) raise_message(L, TOCHA_KEY_ERROR, "attribute '%s' already exists", name);
  lua_pop(L, 1);
}

static int register_buffer(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  const char *name = check_name(L, "buffer");
  int kw, n = split_arguments(L, 3, &kw);
  bool persistent = true;
  if (n > 1) persistent = lua_toboolean(L, 4);
  if (kw && lua_getfield(L, kw, "persistent") != LUA_TNIL) persistent = lua_toboolean(L, -1);
  if (kw && n == 0) {
    lua_getfield(L, kw, "tensor");
    lua_insert(L, 3);
  } else if (n == 0) {
    lua_pushnil(L);
    lua_insert(L, 3);
  }
  check_free(L, m, name);
  if (!lua_isnil(L, 3) && !to_tensor(L, 3) && name[0] && !strchr(name, '.'))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "cannot assign '%s' object to buffer '%s' (torch Tensor or None required)",
                         torch_typename(L, 3), name);
  if (!tocha_register_buffer(CX(L), m, name, to_tensor(L, 3), persistent)) return raise_error(L);
  if (to_tensor(L, 3)) share_tensor(L, 3);
  set_part(L, 1, name, lua_isnil(L, 3) ? 0 : 3);
  return 0;
}

static int register_parameter(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  const char *name = check_name(L, "parameter");
  lua_settop(L, 3);
  check_free(L, m, name);
  if (!lua_isnil(L, 3) && !to_tensor(L, 3))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "cannot assign '%s' object to parameter '%s' (torch.nn.Parameter or None "
                         "required)",
                         torch_typename(L, 3), name);
  if (!tocha_register_parameter(CX(L), m, name, to_tensor(L, 3))) return raise_error(L);
  if (to_tensor(L, 3)) share_tensor(L, 3);
  set_part(L, 1, name, lua_isnil(L, 3) ? 0 : 3);
  return 0;
}

static int add_module(lua_State *L) {
  tocha_module *m = check_module(L, 1), *child = NULL;
  lua_settop(L, 3);
  if (!lua_isnil(L, 3)) child = check_module(L, 3);
  const char *name = check_name(L, "module");
  check_free(L, m, name);
  if (!tocha_register_module(CX(L), m, name, child)) return raise_error(L);
  set_part(L, 1, name, child ? 3 : 0);
  return 0;
}

/* --- getting --------------------------------------------------------------------------------- */

static int get_submodule(lua_State *L) {
  tocha_module *m = tocha_get_submodule(CX(L), check_module(L, 1), luaL_checkstring(L, 2));
  if (!m) return raise_error(L);
  push_module(L, m);
  return 1;
}

static int get_parameter(lua_State *L) {
  tocha_tensor *t = tocha_get_parameter(CX(L), check_module(L, 1), luaL_checkstring(L, 2));
  if (!t) return raise_error(L);
  push_shared_tensor(L, t);
  return 1;
}

static int get_buffer(lua_State *L) {
  tocha_tensor *t = tocha_get_buffer(CX(L), check_module(L, 1), luaL_checkstring(L, 2));
  if (!t && tocha_failed(CX(L))) return raise_error(L);
  push_shared_tensor(L, t);
  return 1;
}

/* --- everything ------------------------------------------------------------------------------ */

/* (module, function): children first. The function may raise, so Lua does the walking. */
static int apply(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  lua_settop(L, 2);
  luaL_checkstack(L, 16, "modules nested too deeply");
  tocha_named_list *list = push_list(L);
  if (!tocha_named_children(CX(L), m, list)) return raise_error(L);
  list_iterator(L, list, false); /* the userdata of the children stay alive in it */
  for (int i = 0, n = list->count; i < n; i++) {
    lua_pushcfunction(L, apply);
    lua_pushvalue(L, -2);
    lua_call(L, 0, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 0);
  }
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 0);
  lua_settop(L, 1);
  return 1;
}

static int reset_parameters(lua_State *L) {
  if (!tocha_module_reset_parameters(CX(L), check_module(L, 1))) return raise_error(L);
  return 0;
}

static int state_dict(lua_State *L) {
  static const tocha_parameter parameters_[] = {STRING("prefix", ""), BOOL("keep_vars", false)};
  tocha_module *m = check_module(L, 1);
  tocha_arg args[2];
  read_python_arguments(L, "Module.state_dict", parameters_, 2, 2, 2, args);
  tocha_state_dict *dict =
      tocha_module_state_dict(CX(L), m, args[0].value.string, args[1].value.flag);
  if (!dict) return raise_error(L);
  push_state_dict(L, dict);
  return 1;
}

static void push_names(lua_State *L, const tocha_named_list *list) {
  lua_createtable(L, list->count, 0);
  for (int i = 0; i < list->count; i++) {
    lua_pushstring(L, list->items[i].name);
    lua_rawseti(L, -2, i + 1);
  }
}

static int append_names(lua_State *L, const char *field) {
  int n = 0;
  lua_getfield(L, 1, field);
  lua_Integer count = luaL_len(L, -1);
  luaL_checkstack(L, (int)count * 2 + 8, "too many names");
  int table = lua_gettop(L);
  lua_pushliteral(L, "[");
  for (lua_Integer i = 1; i <= count; i++) {
    lua_pushfstring(L, i > 1 ? ", '" : "'");
    lua_rawgeti(L, table, i);
    lua_pushliteral(L, "'");
    n += 3;
  }
  lua_pushliteral(L, "]");
  lua_concat(L, n + 2);
  return n;
}

/* The result of load_state_dict as text. */
static int incompatible_tostring(lua_State *L) {
  luaL_checkstack(L, 16, NULL);
  int missing = append_names(L, "missing_keys"), at = lua_gettop(L);
  int unexpected = append_names(L, "unexpected_keys");
  if (!missing && !unexpected)
    lua_pushliteral(L, "<All keys matched successfully>");
  else
    lua_pushfstring(L, "_IncompatibleKeys(missing_keys=%s, unexpected_keys=%s)",
                    lua_tostring(L, at), lua_tostring(L, -1));
  return 1;
}

static int load_state_dict(lua_State *L) {
  tocha_module *m = check_module(L, 1);
  int kw, n = split_arguments(L, 3, &kw);
  bool strict = n < 1 || lua_toboolean(L, 3), assign = n > 1 && lua_toboolean(L, 4);
  if (kw) {
    if (lua_getfield(L, kw, "strict") != LUA_TNIL) strict = lua_toboolean(L, -1);
    if (lua_getfield(L, kw, "assign") != LUA_TNIL) assign = lua_toboolean(L, -1);
  }
  tocha_state_dict *dict = check_state_dict(L, 2);
  tocha_named_list *missing = push_list(L), *unexpected = push_list(L);
  if (!tocha_module_load_state_dict(CX(L), m, dict, strict, assign, missing, unexpected))
    return raise_error(L);
  lua_createtable(L, 0, 2);
  push_names(L, missing);
  lua_setfield(L, -2, "missing_keys");
  push_names(L, unexpected);
  lua_setfield(L, -2, "unexpected_keys");
  if (luaL_newmetatable(L, "torch.IncompatibleKeys")) {
    lua_pushcfunction(L, incompatible_tostring);
    lua_setfield(L, -2, "__tostring");
  }
  lua_setmetatable(L, -2);
  return 1;
}

/* --- hooks ----------------------------------------------------------------------------------- */

/* Upvalues: the list of hooks, the number of this one. */
static int remove_hook(lua_State *L) {
  lua_pushboolean(L, 0);
  lua_rawseti(L, lua_upvalueindex(1), lua_tointeger(L, lua_upvalueindex(2)));
  return 0;
}

static int register_hook(lua_State *L, const char *kind) {
  check_module(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  if (lua_getiuservalue(L, 1, MODULE_HOOKS) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, MODULE_HOOKS);
  }
  if (lua_getfield(L, -1, kind) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, kind);
  }
  lua_Integer number = luaL_len(L, -1) + 1;
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, number);
  to_module_box(L, 1)->hooks = true;
  lua_createtable(L, 0, 1); /* the handle */
  lua_pushvalue(L, -2);
  lua_pushinteger(L, number);
  lua_pushcclosure(L, remove_hook, 2);
  lua_setfield(L, -2, "remove");
  return 1;
}
static int register_forward_hook(lua_State *L) { return register_hook(L, "after"); }
static int register_forward_pre_hook(lua_State *L) { return register_hook(L, "before"); }

void open_module_methods(lua_State *L, int class_) {
  static const luaL_Reg methods[] = {{"parameters", parameters},
                                     {"named_parameters", named_parameters},
                                     {"buffers", buffers},
                                     {"named_buffers", named_buffers},
                                     {"children", children},
                                     {"named_children", named_children},
                                     {"modules", modules},
                                     {"named_modules", named_modules},
                                     {"train", train},
                                     {"eval", eval},
                                     {"requires_grad_", requires_grad_},
                                     {"zero_grad", zero_grad},
                                     {"to", to},
                                     {"cpu", cpu},
                                     {"cuda", cuda},
                                     {"float", to_float},
                                     {"double", to_double},
                                     {"half", to_half},
                                     {"bfloat16", to_bfloat16},
                                     {"register_buffer", register_buffer},
                                     {"register_parameter", register_parameter},
                                     {"add_module", add_module},
                                     {"register_module", add_module},
                                     {"get_submodule", get_submodule},
                                     {"get_parameter", get_parameter},
                                     {"get_buffer", get_buffer},
                                     {"apply", apply},
                                     {"reset_parameters", reset_parameters},
                                     {"state_dict", state_dict},
                                     {"load_state_dict", load_state_dict},
                                     {"register_forward_hook", register_forward_hook},
                                     {"register_forward_pre_hook", register_forward_pre_hook},
                                     {NULL, NULL}};
  lua_pushvalue(L, class_);
  luaL_setfuncs(L, methods, 0);
  lua_pop(L, 1);
}
